import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import {
  boldText,
  capitalized,
  inlineCode,
  singleLine,
  markdownLink,
  markdownList,
  paragraphs,
  markdownTime,
  urlSegment,
} from '../format-payload-text.js';
import { timedSignature } from '../check-webhook-signatures.js';

const textSchema = z.string().nullish();
const amountSchema = z.number().nullish();

/** Schema of a related Stripe object, which is sent as an id or as the whole object. */
const referenceSchema = z.union([z.string(), z.looseObject({ id: z.string() })]).nullish();

const stripeObjectSchema = z.looseObject({
  id: textSchema,
  object: z.string(),
  customer: referenceSchema,
  charge: referenceSchema,
  currency: textSchema,
  amount: amountSchema,
  amount_due: amountSchema,
  amount_refunded: amountSchema,
  total: amountSchema,
  status: textSchema,
  email: textSchema,
  failure_code: textSchema,
  failure_message: textSchema,
  billing_reason: textSchema,
  quantity: amountSchema,
  trial_end: amountSchema,
  coupon: z.looseObject({ id: z.string(), name: textSchema }).nullish(),
  plan: z.looseObject({ id: z.string(), nickname: textSchema }).nullish(),
  last_payment_error: z.looseObject({ message: textSchema }).nullish(),
});
type StripeObject = z.output<typeof stripeObjectSchema>;

const payloadSchema = z.object({
  type: z.string(),
  livemode: z.boolean().nullish(),
  data: z.object({ object: stripeObjectSchema, previous_attributes: anyObjectSchema.nullish() }),
});
type Payload = z.output<typeof payloadSchema>;

const referenceId = (one: z.output<typeof referenceSchema>): string =>
  typeof one === 'string' ? one : (one?.id ?? '');

/** URL paths of Stripe dashboard pages by object type. */
const dashboardPaths: ReadonlyMap<string, string> = new Map([
  ['charge', 'payments'],
  ['customer', 'customers'],
  ['dispute', 'disputes'],
  ['invoice', 'invoices'],
  ['payment_intent', 'payments'],
  ['refund', 'refunds'],
  ['subscription', 'subscriptions'],
]);

function dashboardLink(name: string, type: string, id: string): string {
  const page = dashboardPaths.get(type);
  return page === undefined || id === ''
    ? singleLine(name)
    : markdownLink(name, `https://dashboard.stripe.com/${page}/${urlSegment(id)}`);
}

const snakeCaseToWords = (name: string) => singleLine(name).replaceAll('_', ' ');
const typeName = (type: string) => capitalized(snakeCaseToWords(type === 'invoiceitem' ? 'invoice_item' : type));
const objectLink = (one: StripeObject) => dashboardLink(typeName(one.object), one.object, one.id ?? '');

/** Currencies whose amounts have no hundredths (https://docs.stripe.com/currencies#zero-decimal). */
const wholeCurrencies = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '));

/** Formats an amount of money, which Stripe sends in the smallest unit of its currency. */
function formatAmount(value: number | null | undefined, currency: string | null | undefined): string {
  const unit = singleLine(currency).toLowerCase();
  const number = wholeCurrencies.has(unit) ? String(value ?? 0) : ((value ?? 0) / 100).toFixed(2);
  return unit === 'usd' ? `$${number}` : `${number} ${unit.toUpperCase()}`.trim();
}

const customerTopic = (fallback: string) => ({
  topic: '{customer}',
  values: ({ data: { object: one } }: Payload) => ({
    customer: (one.object === 'customer' ? one.id : referenceId(one.customer)) || fallback,
  }),
});

/**
 * Defines a Stripe event that is posted to the topic of its customer. The text follows a link to the object with the
 * object's type.
 */
const defineStripeEvent = (
  rest: (one: StripeObject, p: Payload) => string,
  more: (one: StripeObject, p: Payload) => string = () => '',
) =>
  webhookEvent({
    payload: payloadSchema,
    ...customerTopic('stripe'),
    text: (p) => paragraphs(`${objectLink(p.data.object)} ${rest(p.data.object, p)}.`, more(p.data.object, p)),
  });

/** Defines a Stripe event that is posted to a fixed topic. */
const defineStripeEventInTopic = (topic: string, rest: (one: StripeObject) => string) =>
  webhookEvent({ payload: payloadSchema, topic, text: (p) => `${objectLink(p.data.object)} ${rest(p.data.object)}.` });

const amountText = (verb: string) => (one: StripeObject) => `of ${formatAmount(one.amount, one.currency)} ${verb}`;

/**
 * Names of fields whose changes are omitted, because Stripe reports them together with others or they mean nothing
 * without related objects.
 */
const unshownFields: ReadonlySet<string> = new Set(['lines', 'finalized_at', 'delinquent', 'default_source', 'items']);

/** Returns the new values of the fields that an update of a Stripe object changed. */
function changedFieldLines(one: StripeObject, { data: { previous_attributes: before } }: Payload): string {
  const names = Object.keys(before ?? {}).filter((name) => !unshownFields.has(name));
  const lines = names
    .toSorted()
    .slice(0, maxChanges)
    .map((name) => `${boldText(capitalized(snakeCaseToWords(name)))}: ${formatValue(name, one[name])}`);
  return markdownList(lines);
}

/** Maximum number of changed fields in a message. */
const maxChanges = 20;

function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'number')
    return /(?:_at|_end|_start|_date)$/.test(name) ? markdownTime(value) : singleLine(value);
  return singleLine(
    typeof value === 'object' ? JSON.stringify(value).slice(0, 1_000) : String(value as string | boolean),
  );
}

const subscriptionLines = ({ plan, quantity }: StripeObject) =>
  markdownList([plan ? `Plan: ${singleLine(plan.nickname ?? plan.id)}` : '', quantity ? `Quantity: ${quantity}` : '']);

const defineDiscountEvent = (verb: string) =>
  webhookEvent({
    payload: payloadSchema,
    ...customerTopic('discounts'),
    text: ({ data: { object: one } }) => {
      const { coupon } = one;
      const name = coupon
        ? markdownLink(coupon.name ?? coupon.id, `https://dashboard.stripe.com/coupons/${urlSegment(coupon.id)}`)
        : 'a coupon';
      return `Discount ${name} ${verb}.`;
    },
  });

const invoiceAmounts = (one: StripeObject) =>
  markdownList([
    `Total: ${formatAmount(one.total, one.currency)}`,
    `Due: ${formatAmount(one.amount_due, one.currency)}`,
  ]);

/** Groups of Stripe events that cause no message, as in the reference server. */
const silentGroups =
  /^(?:account|application_fee|balance|capability|checkout|coupon|file|issuing\w*|mandate|payment_method|payout|person|plan|price|product|promotion_code|quote|radar|recipient|reporting|review|setup_intent|sigma|sku|source|subscription_schedule|tax_rate|terminal|test_helpers|topup|transfer)\./;

/** Format of the events of Stripe. */
export const stripe = defineWebhookFormat({
  name: 'stripe',
  displayName: 'Stripe',
  sender: 'Stripe',
  documentation: 'https://docs.stripe.com/api/events/types',
  payload: z.looseObject({ type: z.string() }),
  signature: timedSignature('Stripe-Signature', 'Signing secret of the endpoint'),
  route: ({ payload: body }) => (silentGroups.test(body.type) ? [] : [{ event: body.type, payload: body }]),
  events: {
    'charge.succeeded': defineStripeEvent(amountText('succeeded')),
    'charge.pending': defineStripeEvent(amountText('is pending')),
    'charge.captured': defineStripeEvent(amountText('was captured')),
    'charge.updated': defineStripeEvent(amountText('was updated'), changedFieldLines),
    'charge.refunded': defineStripeEvent((one) => `was refunded: ${formatAmount(one.amount_refunded, one.currency)}`),
    'charge.failed': defineStripeEvent(
      (one) => `${amountText('failed')(one)}${one.failure_code ? `: ${inlineCode(one.failure_code)}` : ''}`,
    ),
    'charge.dispute.created': defineStripeEventInTopic(
      'disputes',
      (one) => `${amountText('was created')(one)}, status ${snakeCaseToWords(one.status ?? '')}`,
    ),
    'charge.dispute.updated': defineStripeEventInTopic(
      'disputes',
      (one) => `${amountText('was updated')(one)}, status ${snakeCaseToWords(one.status ?? '')}`,
    ),
    'charge.dispute.closed': defineStripeEventInTopic(
      'disputes',
      (one) => `${amountText('was closed')(one)}, status ${snakeCaseToWords(one.status ?? '')}`,
    ),
    'charge.refund.updated': defineStripeEventInTopic(
      'refunds',
      (one) =>
        `${amountText('was updated')(one)} for the ${dashboardLink('charge', 'charge', referenceId(one.charge))}`,
    ),
    'customer.created': defineStripeEvent(
      () => 'was created',
      (one) => (one.email ? `Email: ${singleLine(one.email)}` : ''),
    ),
    'customer.updated': defineStripeEvent(() => 'was updated', changedFieldLines),
    'customer.deleted': defineStripeEvent(() => 'was deleted'),
    'customer.discount.created': defineDiscountEvent('was added'),
    'customer.discount.updated': defineDiscountEvent('was changed'),
    'customer.discount.deleted': defineDiscountEvent('was removed'),
    'customer.subscription.created': defineStripeEvent(() => 'was created', subscriptionLines),
    'customer.subscription.updated': defineStripeEvent(() => 'was updated', changedFieldLines),
    'customer.subscription.deleted': defineStripeEvent(() => 'was cancelled'),
    'customer.subscription.trial_will_end': defineStripeEvent((one) => `ends its trial ${markdownTime(one.trial_end)}`),
    'invoice.created': defineStripeEvent(
      (one) => `was created (${snakeCaseToWords(one.billing_reason ?? 'manual')})`,
      invoiceAmounts,
    ),
    'invoice.updated': defineStripeEvent(() => 'was updated', changedFieldLines),
    'invoice.finalized': defineStripeEvent(() => 'was finalized', invoiceAmounts),
    'invoice.paid': defineStripeEvent((one) => `of ${formatAmount(one.total, one.currency)} was paid`),
    'invoice.payment_succeeded': defineStripeEvent(
      (one) => `of ${formatAmount(one.total, one.currency)}: the payment succeeded`,
    ),
    'invoice.payment_failed': defineStripeEvent(
      (one) => `of ${formatAmount(one.amount_due, one.currency)}: the payment failed`,
    ),
    'invoice.upcoming': defineStripeEvent((one) => `of ${formatAmount(one.amount_due, one.currency)} is upcoming`),
    'invoiceitem.created': defineStripeEvent(amountText('was created')),
    'payment_intent.succeeded': defineStripeEvent(amountText('succeeded')),
    'payment_intent.payment_failed': defineStripeEvent(
      (one) =>
        `${amountText('failed')(one)}${one.last_payment_error?.message ? `: ${singleLine(one.last_payment_error.message).replace(/\.$/, '')}` : ''}`,
    ),
  },
});
