import { z } from 'zod';
import type { WebhookMessageTextOptions } from './define-webhook-format.js';
import {
  formatInlineCode,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownList,
  joinParagraphs,
  formatBlockQuote,
  addFullStop,
} from './format-payload-text.js';

/** Maximum number of commits that a message lists, and maximum number of committers that a message names. */
const [maxCommits, maxCommitters] = [20, 3];

/** A commit in a push to a Git branch. */
interface PushedCommit {
  readonly id: string;
  readonly message: string;
  readonly url: string;
  readonly author: string;
}

/** A push of commits to a Git branch, including creation and deletion of the branch. */
export interface BranchPush {
  readonly user: string;
  readonly branch: string;
  readonly commits: readonly PushedCommit[];
  /** Total number of pushed commits. Present if the payload contains only some of these commits. */
  readonly total?: number;
  readonly compareUrl: string | undefined;
  readonly isCreated?: boolean;
  readonly isDeleted?: boolean;
  readonly isForced?: boolean;
}

/** Returns the text of a message about a push to a Git branch, with a list of the pushed commits. */
export function formatPush({ isCreated, isDeleted, isForced, ...push }: BranchPush): string {
  const { commits, compareUrl } = push;
  const [user, branch] = [toMarkdownLine(push.user), formatInlineCode(push.branch)];
  if (isDeleted === true) return `${user} deleted the branch ${branch}.`;
  const verb = isForced === true ? 'force pushed' : 'pushed';
  if (commits.length === 0)
    return `${user} ${formatMarkdownLink(isCreated === true ? 'created' : verb, compareUrl)} the branch ${branch}.`;
  const total = push.total ?? commits.length;
  const counted = formatMarkdownLink(`${total} ${total === 1 ? 'commit' : 'commits'}`, compareUrl);
  const lines = commits
    .slice(0, maxCommits)
    .map(
      ({ id, message, url }) => `${toMarkdownLine(getFirstLine(message))} (${formatMarkdownLink(id.slice(0, 7), url)})`,
    );
  const more = total - Math.min(commits.length, maxCommits);
  return joinParagraphs(
    `${user} ${verb} ${counted} to the branch ${branch}${formatCommitters(push)}.`,
    `${formatMarkdownList(lines)}${more > 0 ? `\n* … and ${more} more` : ''}`,
  );
}

function getFirstLine(message: string): string {
  return message.trimStart().split(/[\r\n]/, 1)[0] ?? '';
}

/**
 * Returns the text that names the committers of a push, with the number of commits of each committer. Returns an empty
 * text if the pushing user made all commits.
 */
function formatCommitters({ user, commits }: BranchPush): string {
  const counts = new Map<string, number>();
  for (const { author } of commits) counts.set(author, (counts.get(author) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (sorted.length === 0 || (sorted.length === 1 && sorted[0]?.[0] === user)) return '';
  const shown = sorted.slice(0, maxCommitters).map(([name, count]) => `${toMarkdownLine(name)} (${count})`);
  const others = sorted.slice(maxCommitters).reduce((sum, [, count]) => sum + count, 0);
  return `, by ${joinNamesWithAnd(others > 0 ? [...shown, `others (${others})`] : shown)}`;
}

/** Joins names into a text of the form `a, b and c`. */
export function joinNamesWithAnd(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** An action of a user on an issue, a pull request or a similar item. */
export interface GitItemAction {
  readonly user: string;
  /**
   * Verb in the message before the link to the item, such as `opened`. The verb may be Markdown such as
   * `[commented](…) on`.
   */
  readonly action: string;
  /** Kind of the item that the message names, such as `PR`. */
  readonly kind: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  /** Markdown text in the message after the link to the item. */
  readonly details?: string;
  /** Text that the message quotes below its sentence, such as a description; absent for no quote. */
  readonly body?: string | null | undefined;
}

/**
 * Returns the text of a message about an action on an issue or pull request. The text contains the title of the item
 * only if the message's topic does not.
 */
export function formatGitItemMessage(item: GitItemAction, { hasOwnTopic }: WebhookMessageTextOptions): string {
  const { number, title, body } = item;
  const name = `${item.kind} #${number}${hasOwnTopic ? ` ${title}` : ''}`;
  const details = item.details === undefined || item.details === '' ? '' : ` ${item.details}`;
  const head = `${toMarkdownLine(item.user)} ${item.action} ${formatMarkdownLink(name, item.url)}${details}`;
  // Hidden comments of templates are removed. The text is cut first, since the search takes quadratic time.
  const quoted = (body ?? '')
    .slice(0, 8_000)
    .replaceAll(/<!--[^]*?-->/g, '')
    .trim();
  return quoted === '' ? addFullStop(head) : joinParagraphs(`${head}:`, formatBlockQuote(quoted));
}

/** Returns the verb text of a message about a comment, such as `commented on`, with a link to the comment. */
export function formatCommentAction(action: string, url: string): string {
  return action === 'created'
    ? `${formatMarkdownLink('commented', url)} on`
    : `${toMarkdownLine(action)} ${formatMarkdownLink('a comment', url)} on`;
}

/** Returns the part of a message that names the source and target branches of a pull request. */
export function formatBranches(head: string, base: string): string {
  return `from ${formatInlineCode(head)} to ${formatInlineCode(base)}`;
}

/** Returns the name of a branch or tag without the prefix `refs/heads/` or `refs/tags/`. */
export function shortenGitRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '');
}

/** URL parameter that restricts messages about pushes to some branches. */
export const branchesFilterOption = {
  branches: z.string().max(2_000).optional().meta({ description: 'Branches of pushes, separated by commas' }),
};

/** Returns true if the URL parameter for branches includes the given branch, or if the URL has no such parameter. */
export function isSelectedBranch(branch: string, branches: string | undefined): boolean {
  if (branches === undefined) return true;
  return branches.split(',').some((one) => one.trim() === branch);
}
