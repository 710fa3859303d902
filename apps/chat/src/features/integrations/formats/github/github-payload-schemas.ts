import { z } from 'zod';
import { formatMarkdownLink } from '../../format-payload-text.js';

export const githubUserSchema = z.object({ login: z.string(), html_url: z.string().default('') });
export const githubRepositorySchema = z.object({ name: z.string(), full_name: z.string(), html_url: z.string() });
export const commonGithubFields = {
  sender: githubUserSchema,
  repository: githubRepositorySchema,
  action: z.string().default(''),
};
export const nullableTextSchema = z.string().nullish();

const githubPullRequestSchema = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: nullableTextSchema,
  merged: z.boolean().nullish(),
  assignee: githubUserSchema.nullish(),
  head: z.object({ label: nullableTextSchema, ref: z.string() }),
  base: z.object({ label: nullableTextSchema, ref: z.string() }),
});
export const githubIssueSchema = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: nullableTextSchema,
  pull_request: z.unknown().optional(),
});
export const githubCommentSchema = z.object({ html_url: z.string(), body: z.string() });
export const githubReviewSchema = z.object({ html_url: z.string(), state: z.string(), body: nullableTextSchema });
export const discussionSchema = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: nullableTextSchema,
  category: z.object({ name: z.string() }),
});

export const githubPullRequestPayloadSchema = z.object({
  ...commonGithubFields,
  pull_request: githubPullRequestSchema,
  assignee: githubUserSchema.nullish(),
  requested_reviewer: githubUserSchema.nullish(),
  requested_team: z.object({ name: z.string() }).nullish(),
  changes: z.object({ body: z.unknown().optional() }).nullish(),
});
export type GithubPullRequestPayload = z.output<typeof githubPullRequestPayloadSchema>;

export const githubIssuePayloadSchema = z.object({
  ...commonGithubFields,
  issue: githubIssueSchema,
  assignee: githubUserSchema.nullish(),
  label: z.object({ name: z.string() }).nullish(),
  milestone: z.object({ title: z.string(), html_url: z.string() }).nullish(),
});
export type GithubIssuePayload = z.output<typeof githubIssuePayloadSchema>;

export const repositoryTopicTemplate = {
  topic: '{repository}',
  values: (p: { repository: { name: string } }) => ({ repository: p.repository.name }),
};
export const pullRequestTopicTemplate = {
  topic: '{repository} / PR #{number} {title}',
  values: (p: { repository: { name: string }; pull_request: { number: number; title: string } }) => ({
    repository: p.repository.name,
    number: p.pull_request.number,
    title: p.pull_request.title,
  }),
};
export const issueTopicTemplate = {
  topic: '{repository} / {kind} #{number} {title}',
  values: (p: { repository: { name: string }; issue: z.output<typeof githubIssueSchema> }) => ({
    repository: p.repository.name,
    kind: getIssueKind(p.issue),
    number: p.issue.number,
    title: p.issue.title,
  }),
};
export const discussionTopicTemplate = {
  topic: '{repository} discussion #{number}: {title}',
  values: (p: { repository: { name: string }; discussion: z.output<typeof discussionSchema> }) => ({
    repository: p.repository.name,
    number: p.discussion.number,
    title: p.discussion.title,
  }),
};
export const deploymentTopicTemplate = {
  topic: '{repository} / Deployment on {environment}',
  values: (p: { repository: { name: string }; deployment: { environment: string } }) => ({
    repository: p.repository.name,
    environment: p.deployment.environment,
  }),
};

/**
 * Returns `PR` for a comment on a pull request, otherwise `issue`. GitHub reports comments on pull requests as comments
 * on issues.
 */
function getIssueKind(item: z.output<typeof githubIssueSchema>): string {
  return item.pull_request === undefined || item.pull_request === null ? 'issue' : 'PR';
}

export const toPullRequestItem = (p: GithubPullRequestPayload, action: string) => ({
  user: p.sender.login,
  action,
  kind: 'PR',
  number: p.pull_request.number,
  title: p.pull_request.title,
  url: p.pull_request.html_url,
});
export const toIssueItem = (p: GithubIssuePayload, action: string) => ({
  user: p.sender.login,
  action,
  kind: getIssueKind(p.issue),
  number: p.issue.number,
  title: p.issue.title,
  url: p.issue.html_url,
});
export const createUserLink = ({ login, html_url: url }: z.output<typeof githubUserSchema>) =>
  formatMarkdownLink(login, url);
export const createRepositoryLink = (p: { repository: z.output<typeof githubRepositorySchema> }) =>
  formatMarkdownLink(p.repository.full_name, p.repository.html_url);
