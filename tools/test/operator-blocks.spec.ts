import { describe, expect, it } from 'vitest';
import { listOperatorPageCodeBlocks, parseMarkdownCodeBlocks } from '../operate/operator-blocks.mjs';

describe('docs/operate', () => {
  it('marks each code block either as run by tests, or as an example with a reason', () => {
    const unmarked = listOperatorPageCodeBlocks().filter(({ mark }) => !/^(run|example: \S.*)$/.test(mark));
    expect(unmarked).toEqual([]);
  });

  it('marks only shell scripts as run by tests, including scripts about backups, keys and upgrades', () => {
    const run = listOperatorPageCodeBlocks().filter(({ mark }) => mark === 'run');
    expect(run.filter(({ language }) => language !== 'sh')).toEqual([]);
    const pages = [...new Set(run.map(({ place }) => place.replace(/:\d+$/, '')))];
    expect(pages).toEqual(
      expect.arrayContaining(['docs/operate/backup.md', 'docs/operate/keys.md', 'docs/operate/upgrades.md']),
    );
  });
});

describe('parseMarkdownCodeBlocks', () => {
  it('removes the indentation of a block in a list', () => {
    const markdown = '1. Run:\n\n   ```sh run\n   echo a\n     echo b\n   ```\n\n```text example: a reason\nx\n```\n';
    expect(parseMarkdownCodeBlocks('page.md', markdown)).toEqual([
      { place: 'page.md:3', language: 'sh', mark: 'run', text: 'echo a\n  echo b' },
      { place: 'page.md:8', language: 'text', mark: 'example: a reason', text: 'x' },
    ]);
  });
});
