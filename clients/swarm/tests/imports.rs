//! What the modules of swarm import: never each other in a circle, neither files nor folders, so that each can be read
//! after those it rests on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::UseTree;

/// A path's names; of a module, from the root of the crate: `["connection", "ending"]`.
type Names = Vec<String>;
type Imports = BTreeMap<Names, BTreeSet<Names>>;

/// Finds which modules one of them names outside its tests.
struct Reader<'m> {
    modules: &'m BTreeMap<Names, String>,
    here: &'m Names,
    /// modules that have a name of their own here: `use crate::clock` makes `clock::now_ns` known
    known: BTreeMap<String, Names>,
    found: BTreeSet<Names>,
}

impl Reader<'_> {
    /// A path from the root of the crate; `None` for one that leads out of it, and for what is of this module.
    fn resolve(&self, names: &[String]) -> Option<Names> {
        let (first, rest) = names.split_first()?;
        let child = [&self.here[..], &names[..1]].concat();
        let base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.here.clone(),
            "super" => {
                let (mut base, mut rest) = (self.here.clone(), names);
                while let Some(further) = rest.strip_prefix(&["super".to_string()]) {
                    base.pop();
                    rest = further;
                }
                return Some([base, rest.to_vec()].concat());
            }
            name if self.known.contains_key(name) => self.known[name].clone(),
            _ if self.modules.contains_key(&child) => child,
            _ => return None,
        };
        Some([base, rest.to_vec()].concat())
    }

    fn add(&mut self, names: &[String]) {
        let Some(path) = self.resolve(names) else { return };
        let module = (0..=path.len()).rev().map(|end| &path[..end]).find(|module| self.modules.contains_key(*module));
        self.found.extend(module.filter(|module| *module != self.here).map(<[String]>::to_vec));
    }

    fn add_use(&mut self, tree: &UseTree, mut names: Names) {
        match tree {
            UseTree::Path(path) => {
                names.push(path.ident.to_string());
                self.add_use(&path.tree, names);
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_use(tree, names.clone())),
            UseTree::Name(name) if name.ident == "self" => self.learn(&names, names[names.len() - 1].clone()),
            UseTree::Name(name) => self.learn(&[names, vec![name.ident.to_string()]].concat(), name.ident.to_string()),
            UseTree::Rename(rename) => {
                names.extend((rename.ident != "self").then(|| rename.ident.to_string()));
                self.learn(&names, rename.rename.to_string());
            }
            UseTree::Glob(_) => self.add(&names),
        }
    }

    fn learn(&mut self, names: &[String], known_as: String) {
        if let Some(module) = self.resolve(names).filter(|path| self.modules.contains_key(path)) {
            self.known.insert(known_as, module);
        }
        self.add(names);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use(&item.tree, Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 {
            self.add(&names);
        }
        visit::visit_path(self, path);
    }

    /// What a macro is given is no syntax yet.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace(" :: ", "::");
        text.split(|char: char| !char.is_alphanumeric() && !"_:".contains(char))
            .map(|path| path.split("::").map(str::to_string).collect::<Names>())
            .filter(|names| names.len() > 1)
            .for_each(|names| self.add(&names));
    }

    /// `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn imports_of(modules: &BTreeMap<Names, String>) -> Imports {
    let read = |(here, source): (&Names, &String)| {
        let mut reader = Reader { modules, here, known: BTreeMap::new(), found: BTreeSet::new() };
        reader.visit_file(&syn::parse_file(source).unwrap());
        (here.clone(), reader.found)
    };
    modules.iter().map(read).collect()
}

/// What the modules right below the root, each with all below it, import.
fn of_folders(imports: &Imports) -> Imports {
    let mut folders = Imports::new();
    for (module, found) in imports.iter().filter(|(module, _)| !module.is_empty()) {
        let further =
            found.iter().filter(|other| !other.is_empty() && other[0] != module[0]).map(|other| other[..1].to_vec());
        folders.entry(module[..1].to_vec()).or_default().extend(further);
    }
    folders
}

/// The modules that are in a circle, or between two. What imports nothing that is left, or is imported by nothing that
/// is left, is in none.
fn circles(mut imports: Imports) -> Vec<String> {
    loop {
        let is_left = |module: &Names| imports.contains_key(module);
        let is_imported = |module: &Names| imports.values().any(|found| found.contains(module));
        let is_out = |(module, found): &(&Names, &BTreeSet<Names>)| !found.iter().any(is_left) || !is_imported(module);
        let Some(out) = imports.iter().find(is_out).map(|(module, _)| module.clone()) else {
            return imports.keys().map(|module| module.join("::")).collect();
        };
        imports.remove(&out);
    }
}

/// Of the program, which is a crate by itself.
const PROGRAM: [&str; 3] = ["main", "by_hand", "in_suite"];

/// The sources below a folder, by module.
fn read_sources(folder: &Path, above: &Names, modules: &mut BTreeMap<Names, String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            read_sources(&path, &[&above[..], &[name]].concat(), modules);
        } else if !PROGRAM.contains(&&*name) {
            let own = if name == "lib" || name == "mod" { vec![] } else { vec![name] };
            modules.insert([&above[..], &own].concat(), std::fs::read_to_string(path).unwrap());
        }
    }
}

fn names(path: &str) -> Names {
    path.split("::").filter(|name| !name.is_empty()).map(str::to_string).collect()
}

fn sources(given: &[(&str, &str)]) -> BTreeMap<Names, String> {
    given.iter().map(|(module, source)| (names(module), source.to_string())).collect()
}

#[test]
fn the_modules_of_swarm_do_not_import_each_other_in_a_circle() {
    let mut modules = BTreeMap::new();
    read_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &Vec::new(), &mut modules);
    assert!(modules.len() > 40, "where are they? {:?}", modules.keys());
    let imports = imports_of(&modules);
    assert_eq!(circles(of_folders(&imports)), Vec::<String>::new());
    assert_eq!(circles(imports), Vec::<String>::new());
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    for import in [
        "use crate::b::{self, c::Thing};",
        "use super::b::c;",
        "fn f() -> crate::b::c::Thing { todo!() }",
        "use crate::b; fn f() { b::c::make() }",
        "fn f() -> bool { matches!(1, crate::b::c::ONE) }",
    ] {
        let modules = sources(&[
            ("", "pub mod a; pub mod b;"),
            ("a", import),
            ("b", "pub mod c; pub struct B;"),
            ("b::c", "use super::B; pub(super) use crate::a as other;"),
        ]);
        assert_eq!(circles(imports_of(&modules)), ["a", "b::c"], "{import}");
    }
}

#[test]
fn folders_that_import_each_other_are_a_circle_though_their_files_are_none() {
    let modules = sources(&[("a::b", ""), ("a::c", "use crate::d::e;"), ("d::e", ""), ("d::f", "use crate::a::b;")]);
    let imports = imports_of(&modules);
    assert_eq!(circles(of_folders(&imports)), ["a", "d"]);
    assert_eq!(circles(imports), Vec::<String>::new());
}

#[test]
fn what_only_tests_import_is_no_circle() {
    let modules = sources(&[("a", "mod tests { use crate::b; }"), ("b", "use crate::a; use std::fmt;")]);
    assert_eq!(circles(imports_of(&modules)), Vec::<String>::new());
    assert_eq!(imports_of(&modules)[&names("b")], BTreeSet::from([names("a")]));
}
