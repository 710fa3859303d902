import { describe, expect, it } from 'vitest';
import { isForwardedSubject, extractMailText, convertMailSubjectToTopic } from './extract-mail-text.js';
import type { ParsedMail } from './parsed-mail.js';

const options = { includeQuotes: false, includeFooter: false, prefersHtml: false };

function textOf(text: string, more = {}): string {
  const mail = { text, html: '', htmlWithoutQuotes: '' } as ParsedMail;
  return extractMailText(mail, { ...options, ...more });
}

describe('convertMailSubjectToTopic', () => {
  it.each([
    ['Re: Lunch', 'Lunch'],
    ['RE: FW: AW: Lunch', 'Lunch'],
    ['[Fwd: Lunch]', 'Lunch'],
    ['Re:', 'Email with no subject'],
    ['  \u0000 \u0007 ', 'Email with no subject'],
    ['Two\n lines', 'Two lines'],
    ['Spare: parts', 'Spare: parts'],
  ])('converts the subject %j to the topic %j', (subject, topic) => {
    expect(convertMailSubjectToTopic(subject)).toBe(topic);
  });

  it('converts hostile subjects within a second', () => {
    for (const subject of ['['.repeat(100_000), 'RE '.repeat(100_000), ' '.repeat(100_000), ']'.repeat(100_000)]) {
      const start = performance.now();
      convertMailSubjectToTopic(subject);
      isForwardedSubject(subject);
      expect(performance.now() - start).toBeLessThan(1_000);
    }
  });
});

describe('extractMailText', () => {
  it.each([
    ['Yes.\n\nOn Mon, Jim wrote:\n> Shall we?\n>\n> Jim\n', 'Yes.'],
    ['Ja.\n\nAm 1.1.2026 um 10:00 schrieb\nJim <jim@example.com>:\n\n> Gehen wir?\n', 'Ja.'],
    ['Yes.\n\n-----Original Message-----\nFrom: Jim\n\nShall we?', 'Yes.'],
    ['Yes.\n\n________________________________\nFrom: Jim <jim@x.org>\nSent: Monday\nTo: Ann\n\nShall we?', 'Yes.'],
    ['On Mon, Jim wrote:\n> One?\nYes.\n> Two?\nNo.', 'On Mon, Jim wrote:\n> One?\nYes.\n> Two?\nNo.'],
    ['No quote\nat all', 'No quote\nat all'],
    ['> only a quote', '(No email body)'],
  ])('removes the quote at the end of %j', (text, expected) => {
    expect(textOf(text)).toBe(expected);
  });

  it('removes a signature below a single line of two dashes', () => {
    expect(textOf('Hi\n-- \nJane')).toBe('Hi');
    expect(textOf('a\n--\nb\n--\nc')).toBe('a\n--\nb\n--\nc');
    expect(textOf('Hi\n-- \nJane', { includeFooter: true })).toBe('Hi\n-- \nJane');
  });

  it('removes null bytes and lone surrogates', () => {
    expect(textOf('a\u0000b\ud800')).toBe('ab\ufffd');
  });

  it('extracts the text of hostile mails within a second', () => {
    for (const line of ['> ', 'On ', 'From: x', '-', 'wrote:', ' ']) {
      for (const text of [line.repeat(200_000 / line.length), `${line}\n`.repeat(200_000 / (line.length + 1))]) {
        const start = performance.now();
        textOf(text);
        expect(performance.now() - start).toBeLessThan(1_000);
      }
    }
  });
});
