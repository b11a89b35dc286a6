fn main() {
    let sources = ["llvm-wrapper/hash.c", "llvm-wrapper/sort.c"];
    for source in sources {
        println!("cargo:rerun-if-changed={source}");
    }
    cc::Build::new()
        .files(sources)
        .warnings(true)
        .compile("llvm-wrapper");
}
