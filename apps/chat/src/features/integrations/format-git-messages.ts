import { z } from 'zod';
import type { MessageTextOptions } from './define-webhook-format.js';
import {
  inlineCode,
  singleLine,
  markdownLink,
  markdownList,
  paragraphs,
  blockQuote,
  withFullStop,
} from './format-payload-text.js';

/** Maximum number of commits that a message lists, and of committers whose names it shows. */
const [maxCommits, maxCommitters] = [20, 3];

/** A pushed commit. */
interface Commit {
  readonly id: string;
  readonly message: string;
  readonly url: string;
  readonly author: string;
}

/** A push to a branch. */
export interface Push {
  readonly user: string;
  readonly branch: string;
  readonly commits: readonly Commit[];
  /** Number of pushed commits, if the payload contains only some of them. */
  readonly total?: number;
  readonly compareUrl: string | undefined;
  readonly isCreated?: boolean;
  readonly isDeleted?: boolean;
  readonly isForced?: boolean;
}

/** Returns the message of a push to a branch, with a list of its commits. */
export function pushText({ isCreated, isDeleted, isForced, ...push }: Push): string {
  const { commits, compareUrl } = push;
  const [user, branch] = [singleLine(push.user), inlineCode(push.branch)];
  if (isDeleted === true) return `${user} deleted the branch ${branch}.`;
  const verb = isForced === true ? 'force pushed' : 'pushed';
  if (commits.length === 0)
    return `${user} ${markdownLink(isCreated === true ? 'created' : verb, compareUrl)} the branch ${branch}.`;
  const total = push.total ?? commits.length;
  const counted = markdownLink(`${total} ${total === 1 ? 'commit' : 'commits'}`, compareUrl);
  const lines = commits
    .slice(0, maxCommits)
    .map(({ id, message, url }) => `${singleLine(firstLine(message))} (${markdownLink(id.slice(0, 7), url)})`);
  const more = total - Math.min(commits.length, maxCommits);
  return paragraphs(
    `${user} ${verb} ${counted} to the branch ${branch}${committersOf(push)}.`,
    `${markdownList(lines)}${more > 0 ? `\n* … and ${more} more` : ''}`,
  );
}

function firstLine(message: string): string {
  return message.trimStart().split(/[\r\n]/, 1)[0] ?? '';
}

/** Returns the committers of a push with their numbers of commits; nothing if the pushing user made all commits. */
function committersOf({ user, commits }: Push): string {
  const counts = new Map<string, number>();
  for (const { author } of commits) counts.set(author, (counts.get(author) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (sorted.length === 0 || (sorted.length === 1 && sorted[0]?.[0] === user)) return '';
  const shown = sorted.slice(0, maxCommitters).map(([name, count]) => `${singleLine(name)} (${count})`);
  const others = sorted.slice(maxCommitters).reduce((sum, [, count]) => sum + count, 0);
  return `, by ${joinNames(others > 0 ? [...shown, `others (${others})`] : shown)}`;
}

/** Joins names in the form `a, b and c`. */
export function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** An action of a user on an issue, a pull request or a similar item. */
export interface GitItem {
  readonly user: string;
  /** Verb before the link, such as `opened`, or Markdown such as `[commented](…) on`. */
  readonly action: string;
  /** Kind of item, such as `PR`. */
  readonly kind: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  /** Markdown text after the link. */
  readonly details?: string;
  /** Text that is quoted below the sentence. */
  readonly body?: string | null | undefined;
}

/**
 * Returns the text of a message about an action on an issue or pull request. The text contains the title only if the
 * topic does not.
 */
export function itemText(item: GitItem, { hasOwnTopic }: MessageTextOptions): string {
  const { number, title, body } = item;
  const name = `${item.kind} #${number}${hasOwnTopic ? ` ${title}` : ''}`;
  const details = item.details === undefined || item.details === '' ? '' : ` ${item.details}`;
  const head = `${singleLine(item.user)} ${item.action} ${markdownLink(name, item.url)}${details}`;
  // Hidden comments of templates are removed. The text is cut first, since the search takes quadratic time.
  const quoted = (body ?? '')
    .slice(0, 8_000)
    .replaceAll(/<!--[^]*?-->/g, '')
    .trim();
  return quoted === '' ? withFullStop(head) : paragraphs(`${head}:`, blockQuote(quoted));
}

/** Returns the description of a comment as an action, with a link to the comment. */
export function commentAction(action: string, url: string): string {
  return action === 'created'
    ? `${markdownLink('commented', url)} on`
    : `${singleLine(action)} ${markdownLink('a comment', url)} on`;
}

/** Returns the part of a message that names the branches of a pull request. */
export function branchesText(head: string, base: string): string {
  return `from ${inlineCode(head)} to ${inlineCode(base)}`;
}

/** Removes `refs/heads/` or `refs/tags/` from the name of a branch or tag. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '');
}

/** URL parameter that restricts messages about pushes to some branches. */
export const branchesOption = {
  branches: z.string().max(2_000).optional().meta({ description: 'Branches of pushes, separated by commas' }),
};

/** Returns true if the URL parameter for branches admits pushes to the branch. */
export function isSelectedBranch(branch: string, branches: string | undefined): boolean {
  if (branches === undefined) return true;
  return branches.split(',').some((one) => one.trim() === branch);
}
