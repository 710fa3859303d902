import { describe, expect, it } from 'vitest';
import { findReasonToIgnoreMail, isMailInDeliveryLoop } from './automatic-mail.js';
import type { ParsedMail } from './parsed-mail.js';

const sender = 'jane@example.org';

function mailWith(headers: Record<string, string>, fromAddress = sender): ParsedMail {
  return {
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    messageId: null,
    subject: '',
    from: fromAddress,
    fromAddresses: [fromAddress],
    text: '',
    html: '',
    htmlWithoutQuotes: '',
    attachments: [],
    omittedAttachments: 0,
  };
}

const reply = { 'in-reply-to': '<x@example.org>' };

describe('findReasonToIgnoreMail', () => {
  it.each<Record<string, string>>([
    { 'auto-submitted': 'auto-replied (vacation)' },
    { 'auto-submitted': 'auto-generated', ...reply },
    { 'x-auto-response-suppress': 'All', ...reply },
    { precedence: 'bulk', references: '<x@example.org>' },
    { precedence: 'auto_reply' },
    { 'x-autoreply': 'yes' },
  ])('recognizes an automatic reply by %j', (headers) => {
    expect(findReasonToIgnoreMail(mailWith(headers), sender, 'chat@example.com')).toBe('it is an automatic reply');
  });

  it.each<Record<string, string>>([
    {},
    reply,
    { 'auto-submitted': 'no', ...reply },
    { 'auto-submitted': 'auto-generated' },
    { 'x-auto-response-suppress': 'All', precedence: 'bulk' },
    { 'list-id': '<news.example.org>', precedence: 'bulk', ...reply },
    { precedence: 'list', 'auto-submitted': 'auto-generated', ...reply },
  ])('accepts mails of people, mailing lists and programs: %j', (headers) => {
    expect(findReasonToIgnoreMail(mailWith(headers), sender, 'chat@example.com')).toBeNull();
  });

  it('identifies bounces, delivery reports and mails of this service', () => {
    expect(findReasonToIgnoreMail(mailWith({}), '', 'chat@example.com')).toBe('it has no return path');
    const report = mailWith({ 'content-type': 'multipart/report; boundary=b' });
    expect(findReasonToIgnoreMail(report, sender, 'chat@example.com')).toBe('it is a report');
    const own = mailWith({}, 'chat@example.com');
    expect(findReasonToIgnoreMail(own, sender, 'Chat@Example.com')).toBe('this service has sent it');
  });
});

describe('isMailInDeliveryLoop', () => {
  it('returns true for a mail that has passed more than 50 servers', () => {
    const through = (count: number) => ({
      ...mailWith({}),
      headers: new Map([['received', Array(count).fill('from x')]]),
    });
    expect([isMailInDeliveryLoop(through(50)), isMailInDeliveryLoop(through(51))]).toEqual([false, true]);
  });
});
