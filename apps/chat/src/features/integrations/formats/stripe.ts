import { z } from 'zod';
import { anyObject, defineFormat, webhookEvent } from '../define-format.js';
import { bold, capitalized, code, line, link, list, paragraphs, time, urlPart } from '../payload-text.js';
import { timedSignature } from '../signatures.js';

const text = z.string().nullish();
const amount = z.number().nullish();

/** Schema of a related Stripe object, which is sent as an id or as the whole object. */
const reference = z.union([z.string(), z.looseObject({ id: z.string() })]).nullish();

const object = z.looseObject({
  id: text,
  object: z.string(),
  customer: reference,
  charge: reference,
  currency: text,
  amount,
  amount_due: amount,
  amount_refunded: amount,
  total: amount,
  status: text,
  email: text,
  failure_code: text,
  failure_message: text,
  billing_reason: text,
  quantity: amount,
  trial_end: amount,
  coupon: z.looseObject({ id: z.string(), name: text }).nullish(),
  plan: z.looseObject({ id: z.string(), nickname: text }).nullish(),
  last_payment_error: z.looseObject({ message: text }).nullish(),
});
type StripeObject = z.output<typeof object>;

const payload = z.object({
  type: z.string(),
  livemode: z.boolean().nullish(),
  data: z.object({ object, previous_attributes: anyObject.nullish() }),
});
type Payload = z.output<typeof payload>;

const idOf = (one: z.output<typeof reference>): string => (typeof one === 'string' ? one : (one?.id ?? ''));

/** URL paths of Stripe dashboard pages by object type. */
const pages: ReadonlyMap<string, string> = new Map([
  ['charge', 'payments'],
  ['customer', 'customers'],
  ['dispute', 'disputes'],
  ['invoice', 'invoices'],
  ['payment_intent', 'payments'],
  ['refund', 'refunds'],
  ['subscription', 'subscriptions'],
]);

function dashboardLink(name: string, type: string, id: string): string {
  const page = pages.get(type);
  return page === undefined || id === ''
    ? line(name)
    : link(name, `https://dashboard.stripe.com/${page}/${urlPart(id)}`);
}

const inWords = (name: string) => line(name).replaceAll('_', ' ');
const typeName = (type: string) => capitalized(inWords(type === 'invoiceitem' ? 'invoice_item' : type));
const objectLink = (one: StripeObject) => dashboardLink(typeName(one.object), one.object, one.id ?? '');

/** Currencies whose amounts have no hundredths (https://docs.stripe.com/currencies#zero-decimal). */
const wholeCurrencies = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '));

/** Formats an amount of money, which Stripe sends in the smallest unit of its currency. */
function money(value: number | null | undefined, currency: string | null | undefined): string {
  const unit = line(currency).toLowerCase();
  const number = wholeCurrencies.has(unit) ? String(value ?? 0) : ((value ?? 0) / 100).toFixed(2);
  return unit === 'usd' ? `$${number}` : `${number} ${unit.toUpperCase()}`.trim();
}

const customerTopic = (fallback: string) => ({
  topic: '{customer}',
  values: ({ data: { object: one } }: Payload) => ({
    customer: (one.object === 'customer' ? one.id : idOf(one.customer)) || fallback,
  }),
});

/**
 * Defines a Stripe event that is posted to the topic of its customer. The text follows a link to the object with the
 * object's type.
 */
const event = (
  rest: (one: StripeObject, p: Payload) => string,
  more: (one: StripeObject, p: Payload) => string = () => '',
) =>
  webhookEvent({
    payload,
    ...customerTopic('stripe'),
    text: (p) => paragraphs(`${objectLink(p.data.object)} ${rest(p.data.object, p)}.`, more(p.data.object, p)),
  });

/** Defines a Stripe event that is posted to a fixed topic. */
const eventIn = (topic: string, rest: (one: StripeObject) => string) =>
  webhookEvent({ payload, topic, text: (p) => `${objectLink(p.data.object)} ${rest(p.data.object)}.` });

const priced = (verb: string) => (one: StripeObject) => `of ${money(one.amount, one.currency)} ${verb}`;

/**
 * Names of fields whose changes are omitted, because Stripe reports them together with others or they mean nothing
 * without related objects.
 */
const unshownFields: ReadonlySet<string> = new Set(['lines', 'finalized_at', 'delinquent', 'default_source', 'items']);

/** Returns the new values of the fields that an update of a Stripe object changed. */
function changes(one: StripeObject, { data: { previous_attributes: before } }: Payload): string {
  const names = Object.keys(before ?? {}).filter((name) => !unshownFields.has(name));
  const lines = names
    .toSorted()
    .slice(0, maxChanges)
    .map((name) => `${bold(capitalized(inWords(name)))}: ${shownValue(name, one[name])}`);
  return list(lines);
}

/** Maximum number of changed fields in a message. */
const maxChanges = 20;

function shownValue(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'number') return /(?:_at|_end|_start|_date)$/.test(name) ? time(value) : line(value);
  return line(typeof value === 'object' ? JSON.stringify(value).slice(0, 1_000) : String(value as string | boolean));
}

const subscriptionLines = ({ plan, quantity }: StripeObject) =>
  list([plan ? `Plan: ${line(plan.nickname ?? plan.id)}` : '', quantity ? `Quantity: ${quantity}` : '']);

const discount = (verb: string) =>
  webhookEvent({
    payload,
    ...customerTopic('discounts'),
    text: ({ data: { object: one } }) => {
      const { coupon } = one;
      const name = coupon
        ? link(coupon.name ?? coupon.id, `https://dashboard.stripe.com/coupons/${urlPart(coupon.id)}`)
        : 'a coupon';
      return `Discount ${name} ${verb}.`;
    },
  });

const invoiceAmounts = (one: StripeObject) =>
  list([`Total: ${money(one.total, one.currency)}`, `Due: ${money(one.amount_due, one.currency)}`]);

/** Groups of Stripe events that cause no message, as in the reference server. */
const silentGroups =
  /^(?:account|application_fee|balance|capability|checkout|coupon|file|issuing\w*|mandate|payment_method|payout|person|plan|price|product|promotion_code|quote|radar|recipient|reporting|review|setup_intent|sigma|sku|source|subscription_schedule|tax_rate|terminal|test_helpers|topup|transfer)\./;

/** Format of the events of Stripe. */
export const stripe = defineFormat({
  name: 'stripe',
  displayName: 'Stripe',
  sender: 'Stripe',
  documentation: 'https://docs.stripe.com/api/events/types',
  payload: z.looseObject({ type: z.string() }),
  signature: timedSignature('Stripe-Signature', 'Signing secret of the endpoint'),
  route: ({ payload: body }) => (silentGroups.test(body.type) ? [] : [{ event: body.type, payload: body }]),
  events: {
    'charge.succeeded': event(priced('succeeded')),
    'charge.pending': event(priced('is pending')),
    'charge.captured': event(priced('was captured')),
    'charge.updated': event(priced('was updated'), changes),
    'charge.refunded': event((one) => `was refunded: ${money(one.amount_refunded, one.currency)}`),
    'charge.failed': event((one) => `${priced('failed')(one)}${one.failure_code ? `: ${code(one.failure_code)}` : ''}`),
    'charge.dispute.created': eventIn(
      'disputes',
      (one) => `${priced('was created')(one)}, status ${inWords(one.status ?? '')}`,
    ),
    'charge.dispute.updated': eventIn(
      'disputes',
      (one) => `${priced('was updated')(one)}, status ${inWords(one.status ?? '')}`,
    ),
    'charge.dispute.closed': eventIn(
      'disputes',
      (one) => `${priced('was closed')(one)}, status ${inWords(one.status ?? '')}`,
    ),
    'charge.refund.updated': eventIn(
      'refunds',
      (one) => `${priced('was updated')(one)} for the ${dashboardLink('charge', 'charge', idOf(one.charge))}`,
    ),
    'customer.created': event(
      () => 'was created',
      (one) => (one.email ? `Email: ${line(one.email)}` : ''),
    ),
    'customer.updated': event(() => 'was updated', changes),
    'customer.deleted': event(() => 'was deleted'),
    'customer.discount.created': discount('was added'),
    'customer.discount.updated': discount('was changed'),
    'customer.discount.deleted': discount('was removed'),
    'customer.subscription.created': event(() => 'was created', subscriptionLines),
    'customer.subscription.updated': event(() => 'was updated', changes),
    'customer.subscription.deleted': event(() => 'was cancelled'),
    'customer.subscription.trial_will_end': event((one) => `ends its trial ${time(one.trial_end)}`),
    'invoice.created': event((one) => `was created (${inWords(one.billing_reason ?? 'manual')})`, invoiceAmounts),
    'invoice.updated': event(() => 'was updated', changes),
    'invoice.finalized': event(() => 'was finalized', invoiceAmounts),
    'invoice.paid': event((one) => `of ${money(one.total, one.currency)} was paid`),
    'invoice.payment_succeeded': event((one) => `of ${money(one.total, one.currency)}: the payment succeeded`),
    'invoice.payment_failed': event((one) => `of ${money(one.amount_due, one.currency)}: the payment failed`),
    'invoice.upcoming': event((one) => `of ${money(one.amount_due, one.currency)} is upcoming`),
    'invoiceitem.created': event(priced('was created')),
    'payment_intent.succeeded': event(priced('succeeded')),
    'payment_intent.payment_failed': event(
      (one) =>
        `${priced('failed')(one)}${one.last_payment_error?.message ? `: ${line(one.last_payment_error.message).replace(/\.$/, '')}` : ''}`,
    ),
  },
});
