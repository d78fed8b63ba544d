//! Files that a configuration names.

use std::path::Path;

/// Reads a text file. It is checked first and read again when the load starts, so a pipe is refused: it would be empty by then.
pub fn read(file: &Path) -> Result<String, String> {
    if !std::fs::metadata(file).map_err(|error| error.to_string())?.is_file() {
        return Err("it is no regular file, and is read twice".into());
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_read_twice_is_refused() {
        assert!(read(Path::new("/dev/null")).unwrap_err().contains("no regular file"));
        assert!(read(Path::new("/nowhere")).unwrap_err().contains("No such file"));
        assert!(read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).is_ok());
    }
}
