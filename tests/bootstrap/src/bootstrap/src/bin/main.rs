use std::process::exit;

fn main() {
    if let Err(message) = bootstrap::run(std::env::args().skip(1)) {
        eprintln!("{message}");
        exit(1);
    }
}
