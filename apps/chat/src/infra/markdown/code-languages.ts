/** A programming language that Markdown code blocks can name. */
export interface CodeLanguage {
  /** Name of the programming language that clients show. Clients also select code playgrounds by the name. */
  readonly name: string;
  /** Name of the syntax highlighting grammar for the language; absent for languages without a grammar. */
  readonly grammar?: string;
}

/**
 * List of programming languages. Each row contains the displayed name, the highlighting grammar, and the lower-case
 * names that users write after a code fence.
 */
const codeLanguages: readonly (readonly [name: string, grammar: string | undefined, ...aliases: string[]])[] = [
  ['Arduino', 'arduino', 'arduino', 'ino'],
  ['Bash', 'bash', 'bash', 'sh', 'zsh', 'ksh', 'shell'],
  ['Bash Session', 'shell', 'console', 'shell-session'],
  ['C', 'c', 'c', 'h'],
  ['C#', 'csharp', 'csharp', 'c#', 'cs'],
  ['C++', 'cpp', 'cpp', 'c++', 'cc', 'cxx', 'hpp'],
  ['CMake', undefined, 'cmake'],
  ['CSS', 'css', 'css'],
  ['Clojure', undefined, 'clojure', 'clj'],
  ['Common Lisp', undefined, 'common-lisp', 'lisp', 'cl'],
  ['Dart', undefined, 'dart'],
  ['Diff', 'diff', 'diff', 'patch', 'udiff'],
  ['Docker', undefined, 'docker', 'dockerfile'],
  ['Elixir', undefined, 'elixir', 'ex', 'exs'],
  ['Elm', undefined, 'elm'],
  ['Erlang', undefined, 'erlang', 'erl'],
  ['F#', undefined, 'fsharp', 'f#'],
  ['Fortran', undefined, 'fortran', 'f90'],
  ['Go', 'go', 'go', 'golang'],
  ['GraphQL', 'graphql', 'graphql'],
  ['Groovy', undefined, 'groovy'],
  ['HTML', 'xml', 'html', 'xhtml'],
  ['Haskell', undefined, 'haskell', 'hs'],
  ['INI', 'ini', 'ini', 'cfg', 'dosini'],
  ['JSON', 'json', 'json', 'jsonc'],
  ['Java', 'java', 'java'],
  ['JavaScript', 'javascript', 'javascript', 'js', 'jsx', 'mjs', 'cjs'],
  ['Julia', undefined, 'julia', 'jl'],
  ['Kotlin', 'kotlin', 'kotlin', 'kt'],
  ['LessCss', 'less', 'less'],
  ['Lua', 'lua', 'lua'],
  ['Makefile', 'makefile', 'makefile', 'make', 'mk'],
  ['Markdown', 'markdown', 'markdown', 'md'],
  ['Matlab', undefined, 'matlab'],
  ['NASM', undefined, 'nasm', 'asm'],
  ['Nginx configuration file', undefined, 'nginx'],
  ['Nix', undefined, 'nix'],
  ['OCaml', undefined, 'ocaml'],
  ['Objective-C', 'objectivec', 'objective-c', 'objectivec', 'objc'],
  ['PHP', 'php', 'php'],
  ['Perl', 'perl', 'perl', 'pl'],
  ['PostgreSQL SQL dialect', 'sql', 'postgresql', 'postgres', 'pgsql'],
  ['PowerShell', undefined, 'powershell', 'pwsh', 'ps1'],
  ['Protocol Buffer', undefined, 'protobuf', 'proto'],
  ['Python', 'python', 'python', 'py', 'python3', 'py3'],
  ['Python console session', 'python-repl', 'pycon'],
  ['Racket', undefined, 'racket', 'rkt'],
  ['Ruby', 'ruby', 'ruby', 'rb'],
  ['Rust', 'rust', 'rust', 'rs'],
  ['S', 'r', 'r', 's', 'splus'],
  ['SCSS', 'scss', 'scss'],
  ['SQL', 'sql', 'sql', 'mysql'],
  ['Scala', undefined, 'scala'],
  ['Scheme', undefined, 'scheme', 'scm'],
  ['Swift', 'swift', 'swift'],
  ['TOML', 'ini', 'toml'],
  ['TeX', undefined, 'tex', 'latex'],
  ['Terraform', undefined, 'terraform', 'tf', 'hcl'],
  ['TypeScript', 'typescript', 'typescript', 'ts', 'tsx'],
  ['VB.net', 'vbnet', 'vbnet', 'vb.net'],
  ['VimL', undefined, 'vim', 'viml'],
  ['XML', 'xml', 'xml', 'svg', 'xsl'],
  ['YAML', 'yaml', 'yaml', 'yml'],
  ['Zig', undefined, 'zig'],
];

const codeLanguageByAlias: ReadonlyMap<string, CodeLanguage> = new Map(
  codeLanguages.flatMap(([name, grammar, ...aliases]) =>
    aliases.map((alias) => [alias, { name, ...(grammar !== undefined && { grammar }) }] as const),
  ),
);

/**
 * Returns the programming language with a name such as `py` in any letter case; undefined for unknown names and plain
 * text.
 */
export function findCodeLanguage(name: string): CodeLanguage | undefined {
  return codeLanguageByAlias.get(name.toLowerCase());
}
