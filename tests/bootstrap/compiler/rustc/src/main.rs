fn main() {
    rustc_driver::main()
}
