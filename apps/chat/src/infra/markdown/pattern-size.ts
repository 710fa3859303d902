/** Characters of a group that say what it is and match nothing: `(?:`, `(?i:`, `(?P<name>`, `(?<name>`. */
const groupHead = /^\((?:\?(?:P?<[A-Za-z_]\w*>|[a-zA-Z-]*:|[a-zA-Z-]*(?=\))))?/;
const repetition = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/;
const escape = /^\\(?:Q[^]*?(?:\\E|$)|[pPN]\{[^}]*\}|x\{[^}]*\}|[pP].|[^])/;
/** A character class; a leading `]` belongs to it. */
const characterClass = /^\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?/;

/**
 * Estimates the number of instructions that a regular expression of RE2 is compiled to: repetitions with counts are
 * written out, so that a short expression can represent millions. One pass over the expression, without compiling it.
 */
export function patternSize(pattern: string): number {
  /** Sizes of the groups that are open, the whole expression first. */
  const open = [0];
  let last = 0;
  const add = (size: number): void => {
    open[open.length - 1] = (open.at(-1) ?? 0) + size;
    last = size;
  };
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const [counted, least = '', most = ''] = repetition.exec(rest) ?? [];
    const head = groupHead.exec(rest)?.[0];
    if (counted !== undefined) {
      // The atom is there once already.
      add(last * Math.max(0, Number(least) - 1, Number(most) - 1));
      at += counted.length;
    } else if (head !== undefined) {
      open.push(0);
      at += head.length;
    } else if (rest.startsWith(')')) {
      add(1 + (open.length > 1 ? (open.pop() ?? 0) : 0));
      at += 1;
    } else {
      const atom = (escape.exec(rest) ?? characterClass.exec(rest))?.[0] ?? rest.charAt(0);
      add(Math.max(1, atom.startsWith('\\Q') ? atom.length : 1));
      at += atom.length;
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}
