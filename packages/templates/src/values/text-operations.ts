import type { TemplateResourceCounter } from '../template-budget.js';

/**
 * Capitalizes each word of a text and converts the other letters to lower case. A word starts at the beginning of the
 * text or after a space, a hyphen or a bracket.
 */
export function toTitleCase(text: string): string {
  return text.replaceAll(/[^-\s({[<]+/g, capitalizeText);
}

/** Converts a text like Python's `str.title`: a word starts after any character that is not a letter. */
export function toTitleCaseByLetters(text: string): string {
  return text.replaceAll(/\p{L}+/gu, capitalizeText);
}

/** Converts the first letter of a text to upper case and the other letters to lower case. */
export function capitalizeText(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** Replaces a part of a text by another text: all occurrences of the part, or at most the given number. */
export function replaceText(
  text: string,
  { old, by, count }: { old: string; by: string; count: number },
  budget: TemplateResourceCounter,
): string {
  budget.countTextSearch(text, old);
  if (old === '') budget.countAllocatedMemory(text.length * 8);
  const parts = old === '' ? ['', ...text, ''] : text.split(old);
  const times = Math.min(count < 0 ? Infinity : count, parts.length - 1);
  budget.countAllocatedMemory(text.length + times * by.length + parts.length);
  if (times === parts.length - 1) return parts.join(by);
  return parts.slice(0, times + 1).join(by) + old + parts.slice(times + 1).join(old);
}

/** Removes the given characters, or white space, from both ends of a text. */
export function stripCharacters(
  text: string,
  characters: string | null,
  ends: { left: boolean; right: boolean },
  budget: TemplateResourceCounter,
): string {
  // Counts the creation of a set of the characters.
  budget.countSteps(characters?.length ?? 0);
  const listed = characters === null ? null : new Set(characters);
  const goes = (character: string): boolean => (listed === null ? character.trim() === '' : listed.has(character));
  let [start, end] = [0, text.length];
  while (ends.left && start < end && goes(text.charAt(start))) start += 1;
  while (ends.right && end > start && goes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Pads a text to the given width, aligned left, right or in the center. */
export function alignText(
  text: string,
  { width, side, fill }: { width: number; side: 'left' | 'right' | 'center'; fill: string },
  budget: TemplateResourceCounter,
): string {
  const room = Math.max(0, width - text.length);
  budget.countAllocatedMemory(text.length + room);
  if (side === 'left') return text + fill.repeat(room);
  if (side === 'right') return fill.repeat(room) + text;
  const left = Math.floor(room / 2);
  return fill.repeat(left) + text + fill.repeat(room - left);
}

/** Returns the lines of a text without their line breaks. A line break at the end does not start another line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Returns the words of a text, separated by white space. */
export function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
