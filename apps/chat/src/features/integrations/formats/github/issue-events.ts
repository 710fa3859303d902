import { z } from 'zod';
import { webhookEvent } from '../../define-webhook-format.js';
import { commentAction, itemText } from '../../format-git-messages.js';
import { boldText, inlineCode, singleLine, markdownLink } from '../../format-payload-text.js';
import {
  commentSchema,
  commonFields,
  discussionSchema,
  issueItem,
  issuePayload,
  discussionTopic,
  issueTopic,
  repositorySchema,
  userLink,
} from './github-payload-schemas.js';

/** Events of GitHub issues, by their names in the reference server. */
export const issueEvents = {
  issues: webhookEvent({
    payload: issuePayload,
    ...issueTopic,
    text(p, context) {
      const isAssignment = p.action === 'assigned' || p.action === 'unassigned';
      const assignee =
        isAssignment && p.assignee ? `${userLink(p.assignee)} ${p.action === 'assigned' ? 'to' : 'from'}` : '';
      const body = p.action === 'opened' || p.action === 'edited' ? p.issue.body : null;
      return itemText({ ...issueItem(p, `${singleLine(p.action)} ${assignee}`.trim()), body }, context);
    },
  }),
  issue_comment: webhookEvent({
    payload: issuePayload.extend({ comment: commentSchema }),
    ...issueTopic,
    text: (p, context) =>
      itemText({ ...issueItem(p, commentAction(p.action, p.comment.html_url)), body: p.comment.body }, context),
  }),
  issue_labeled_or_unlabeled: webhookEvent({
    payload: issuePayload,
    ...issueTopic,
    text(p, context) {
      const [verb, to] = p.action === 'labeled' ? ['added', 'to'] : ['removed', 'from'];
      return itemText(issueItem(p, `${verb} the label ${inlineCode(p.label?.name)} ${to}`), context);
    },
  }),
  issue_milestoned_or_demilestoned: webhookEvent({
    payload: issuePayload,
    ...issueTopic,
    text(p, context) {
      const [verb, to] = p.action === 'milestoned' ? ['added', 'to'] : ['removed', 'from'];
      const milestone = markdownLink(p.milestone?.title, p.milestone?.html_url);
      return itemText(issueItem(p, `${verb} the milestone ${milestone} ${to}`), context);
    },
  }),
  issues_transferred: webhookEvent({
    payload: issuePayload.extend({
      changes: z.object({
        new_issue: z.object({ number: z.int(), html_url: z.string() }),
        new_repository: repositorySchema,
      }),
    }),
    ...issueTopic,
    text(p, context) {
      const { new_issue: issueThere, new_repository: there } = p.changes;
      const details = `to ${markdownLink(`${there.full_name}#${issueThere.number}`, issueThere.html_url)}`;
      return itemText({ ...issueItem(p, 'transferred'), details }, context);
    },
  }),
};

/** Events of GitHub discussions. */
export const discussionEvents = {
  discussion: webhookEvent({
    payload: z.object({ ...commonFields, discussion: discussionSchema }),
    ...discussionTopic,
    text(p, context) {
      const { discussion: item, sender, action } = p;
      const details = `in ${boldText(item.category.name)}`;
      const body = action === 'created' || action === 'edited' ? item.body : null;
      return itemText(
        {
          user: sender.login,
          action: singleLine(action),
          kind: 'discussion',
          ...item,
          url: item.html_url,
          details,
          body,
        },
        context,
      );
    },
  }),
  discussion_comment: webhookEvent({
    payload: z.object({ ...commonFields, discussion: discussionSchema, comment: commentSchema }),
    ...discussionTopic,
    text(p, context) {
      const action = commentAction(p.action, p.comment.html_url);
      const { number, title, html_url: url } = p.discussion;
      const item = { user: p.sender.login, action, kind: 'discussion', number, title, url };
      return itemText({ ...item, body: p.comment.body }, context);
    },
  }),
};
