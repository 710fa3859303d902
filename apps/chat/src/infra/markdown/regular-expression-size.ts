/**
 * Pattern of the head of a group in a regular expression, which matches no text: `(?:`, `(?i:`, `(?P<name>`,
 * `(?<name>`.
 */
const groupHeadPattern = /^\((?:\?(?:P?<[A-Za-z_]\w*>|[a-zA-Z-]*:|[a-zA-Z-]*(?=\))))?/;
const repetitionPattern = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/;
const escapePattern = /^\\(?:Q[^]*?(?:\\E|$)|[pPN]\{[^}]*\}|x\{[^}]*\}|[pP].|[^])/;
/** Pattern of a character class in a regular expression, which may begin with `]`. */
const characterClassPattern = /^\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?/;

/**
 * Estimates the number of instructions that RE2 compiles a regular expression to, in one pass without compiling it. RE2
 * writes out counted repetitions, so that a short expression can stand for millions of instructions.
 */
export function computePatternSize(pattern: string): number {
  /**
   * Estimated sizes of the groups of the regular expression that are not closed yet. The first size belongs to the
   * whole expression.
   */
  const open = [0];
  let last = 0;
  const add = (size: number): void => {
    open[open.length - 1] = (open.at(-1) ?? 0) + size;
    last = size;
  };
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const [counted, least = '', most = ''] = repetitionPattern.exec(rest) ?? [];
    const head = groupHeadPattern.exec(rest)?.[0];
    if (counted !== undefined) {
      // The repeated element has been counted once already.
      add(last * Math.max(0, Number(least) - 1, Number(most) - 1));
      at += counted.length;
    } else if (head !== undefined) {
      open.push(0);
      at += head.length;
    } else if (rest.startsWith(')')) {
      add(1 + (open.length > 1 ? (open.pop() ?? 0) : 0));
      at += 1;
    } else {
      const atom = (escapePattern.exec(rest) ?? characterClassPattern.exec(rest))?.[0] ?? rest.charAt(0);
      add(Math.max(1, atom.startsWith('\\Q') ? atom.length : 1));
      at += atom.length;
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}
