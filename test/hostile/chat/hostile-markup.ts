import type { HostileSubject } from '../hostile-request.js';
import { numbers, send } from './list-hostile-calls.js';

function renderingRequest(content: string) {
  return () => [send('POST', 'messages/render', { content })];
}

/** Hostile requests to chat with messages whose Markdown is costly to render. */
export const markup: HostileSubject = {
  subject: 'Markdown',
  requests: [
    { title: 'a message of opening brackets', statuses: [200], calls: renderingRequest('['.repeat(10_000)) },
    { title: 'a message of links that do not end', statuses: [200], calls: renderingRequest('[a]('.repeat(2_500)) },
    {
      title: 'a message of stars and underscores in turn',
      statuses: [200],
      calls: renderingRequest('*_'.repeat(5_000)),
    },
    {
      title: 'a message of backquotes in runs of growing length',
      statuses: [200],
      calls: renderingRequest(growingMarkup('`')),
    },
    { title: 'a message of 5,000 nested quotes', statuses: [200], calls: renderingRequest('>'.repeat(5_000)) },
    {
      title: 'a message of nested lists',
      statuses: [200],
      calls: renderingRequest(
        numbers(120)
          .map((id) => `${' '.repeat(id)}* x`)
          .join('\n'),
      ),
    },
    { title: 'a message of mentions that do not end', statuses: [200], calls: renderingRequest('@**a'.repeat(2_500)) },
    {
      title: 'a message of fences that open one another',
      statuses: [200],
      calls: renderingRequest('```quote\n'.repeat(1_100)),
    },
    {
      title: 'a table of a thousand columns',
      statuses: [200],
      calls: renderingRequest(`${'|a'.repeat(1_600)}\n${'|-'.repeat(1_600)}\n${'|b'.repeat(1_600)}`),
    },
    { title: 'a message of dollar signs in pairs', statuses: [200], calls: renderingRequest('$$a'.repeat(3_300)) },
    { title: 'a message of tags that do not close', statuses: [200], calls: renderingRequest('<!--'.repeat(2_500)) },
    { title: 'a message of emoji names that do not end', statuses: [200], calls: renderingRequest(':a'.repeat(5_000)) },
  ],
};

function growingMarkup(mark: string): string {
  return numbers(135)
    .map((id) => mark.repeat(id))
    .join(' ');
}
