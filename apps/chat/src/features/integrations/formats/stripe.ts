import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  capitalizeFirstLetter,
  formatInlineCode,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownList,
  joinParagraphs,
  formatMarkdownTime,
  encodeUrlSegment,
} from '../format-payload-text.js';
import { createTimedSignatureCheck } from '../check-webhook-signatures.js';

const nullableTextSchema = z.string().nullish();
const stripeAmountSchema = z.number().nullish();

/** Schema of a reference to a related Stripe object. Stripe sends the object's id or the whole object. */
const stripeReferenceSchema = z.union([z.string(), z.looseObject({ id: z.string() })]).nullish();

const stripeObjectSchema = z.looseObject({
  id: nullableTextSchema,
  object: z.string(),
  customer: stripeReferenceSchema,
  charge: stripeReferenceSchema,
  currency: nullableTextSchema,
  amount: stripeAmountSchema,
  amount_due: stripeAmountSchema,
  amount_refunded: stripeAmountSchema,
  total: stripeAmountSchema,
  status: nullableTextSchema,
  email: nullableTextSchema,
  failure_code: nullableTextSchema,
  failure_message: nullableTextSchema,
  billing_reason: nullableTextSchema,
  quantity: stripeAmountSchema,
  trial_end: stripeAmountSchema,
  coupon: z.looseObject({ id: z.string(), name: nullableTextSchema }).nullish(),
  plan: z.looseObject({ id: z.string(), nickname: nullableTextSchema }).nullish(),
  last_payment_error: z.looseObject({ message: nullableTextSchema }).nullish(),
});
type StripeObject = z.output<typeof stripeObjectSchema>;

const stripePayloadSchema = z.object({
  type: z.string(),
  livemode: z.boolean().nullish(),
  data: z.object({ object: stripeObjectSchema, previous_attributes: anyObjectSchema.nullish() }),
});
type StripePayload = z.output<typeof stripePayloadSchema>;

const getReferenceId = (one: z.output<typeof stripeReferenceSchema>): string =>
  typeof one === 'string' ? one : (one?.id ?? '');

/** URL paths of Stripe dashboard pages, by type of the object. */
const dashboardPaths: ReadonlyMap<string, string> = new Map([
  ['charge', 'payments'],
  ['customer', 'customers'],
  ['dispute', 'disputes'],
  ['invoice', 'invoices'],
  ['payment_intent', 'payments'],
  ['refund', 'refunds'],
  ['subscription', 'subscriptions'],
]);

function createDashboardLink(name: string, type: string, id: string): string {
  const page = dashboardPaths.get(type);
  return page === undefined || id === ''
    ? toMarkdownLine(name)
    : formatMarkdownLink(name, `https://dashboard.stripe.com/${page}/${encodeUrlSegment(id)}`);
}

const snakeCaseToWords = (name: string) => toMarkdownLine(name).replaceAll('_', ' ');
const getObjectTypeName = (type: string) =>
  capitalizeFirstLetter(snakeCaseToWords(type === 'invoiceitem' ? 'invoice_item' : type));
const createObjectLink = (one: StripeObject) =>
  createDashboardLink(getObjectTypeName(one.object), one.object, one.id ?? '');

/** Codes of the currencies whose amounts have no decimal places (https://docs.stripe.com/currencies#zero-decimal). */
const currenciesWithoutDecimals = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '));

/** Formats an amount of money with its currency. Stripe sends the amount in the smallest unit of the currency. */
function formatAmount(value: number | null | undefined, currency: string | null | undefined): string {
  const unit = toMarkdownLine(currency).toLowerCase();
  const number = currenciesWithoutDecimals.has(unit) ? String(value ?? 0) : ((value ?? 0) / 100).toFixed(2);
  return unit === 'usd' ? `$${number}` : `${number} ${unit.toUpperCase()}`.trim();
}

const createCustomerTopic = (fallback: string) => ({
  topic: '{customer}',
  values: ({ data: { object: one } }: StripePayload) => ({
    customer: (one.object === 'customer' ? one.id : getReferenceId(one.customer)) || fallback,
  }),
});

/**
 * Defines a Stripe event whose message is posted to the topic of the event's customer. The message begins with the
 * object's type and a link to the object, followed by the given text.
 */
const defineStripeEvent = (
  rest: (one: StripeObject, p: StripePayload) => string,
  more: (one: StripeObject, p: StripePayload) => string = () => '',
) =>
  defineWebhookEvent({
    payload: stripePayloadSchema,
    ...createCustomerTopic('stripe'),
    text: (p) =>
      joinParagraphs(`${createObjectLink(p.data.object)} ${rest(p.data.object, p)}.`, more(p.data.object, p)),
  });

/** Defines a Stripe event whose message is posted to a fixed topic. */
const defineStripeEventInTopic = (topic: string, rest: (one: StripeObject) => string) =>
  defineWebhookEvent({
    payload: stripePayloadSchema,
    topic,
    text: (p) => `${createObjectLink(p.data.object)} ${rest(p.data.object)}.`,
  });

const createAmountTextFormatter = (verb: string) => (one: StripeObject) =>
  `of ${formatAmount(one.amount, one.currency)} ${verb}`;

/**
 * Names of Stripe fields whose changes messages omit. Stripe reports these fields together with other fields, or their
 * values are only understandable with related objects.
 */
const fieldsNotShown: ReadonlySet<string> = new Set(['lines', 'finalized_at', 'delinquent', 'default_source', 'items']);

/** Returns the lines with the new values of the fields that an update of a Stripe object changed. */
function formatChangedStripeFields(
  one: StripeObject,
  { data: { previous_attributes: before } }: StripePayload,
): string {
  const names = Object.keys(before ?? {}).filter((name) => !fieldsNotShown.has(name));
  const lines = names
    .toSorted()
    .slice(0, maxShownFieldChanges)
    .map(
      (name) =>
        `${formatBold(capitalizeFirstLetter(snakeCaseToWords(name)))}: ${formatChangedStripeValue(name, one[name])}`,
    );
  return formatMarkdownList(lines);
}

/** Maximum number of changed fields of an object that a message lists. */
const maxShownFieldChanges = 20;

function formatChangedStripeValue(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'number')
    return /(?:_at|_end|_start|_date)$/.test(name) ? formatMarkdownTime(value) : toMarkdownLine(value);
  return toMarkdownLine(
    typeof value === 'object' ? JSON.stringify(value).slice(0, 1_000) : String(value as string | boolean),
  );
}

const formatSubscriptionLines = ({ plan, quantity }: StripeObject) =>
  formatMarkdownList([
    plan ? `Plan: ${toMarkdownLine(plan.nickname ?? plan.id)}` : '',
    quantity ? `Quantity: ${quantity}` : '',
  ]);

const defineDiscountEvent = (verb: string) =>
  defineWebhookEvent({
    payload: stripePayloadSchema,
    ...createCustomerTopic('discounts'),
    text: ({ data: { object: one } }) => {
      const { coupon } = one;
      const name = coupon
        ? formatMarkdownLink(
            coupon.name ?? coupon.id,
            `https://dashboard.stripe.com/coupons/${encodeUrlSegment(coupon.id)}`,
          )
        : 'a coupon';
      return `Discount ${name} ${verb}.`;
    },
  });

const formatInvoiceAmounts = (one: StripeObject) =>
  formatMarkdownList([
    `Total: ${formatAmount(one.total, one.currency)}`,
    `Due: ${formatAmount(one.amount_due, one.currency)}`,
  ]);

/**
 * Pattern of the groups of Stripe events that create no message. The reference server (Zulip) also ignores these
 * groups.
 */
const stripeEventsWithoutMessagePattern =
  /^(?:account|application_fee|balance|capability|checkout|coupon|file|issuing\w*|mandate|payment_method|payout|person|plan|price|product|promotion_code|quote|radar|recipient|reporting|review|setup_intent|sigma|sku|source|subscription_schedule|tax_rate|terminal|test_helpers|topup|transfer)\./;

/** Format of the webhook requests with which Stripe reports events. */
export const stripeFormat = defineWebhookFormat({
  name: 'stripe',
  displayName: 'Stripe',
  sender: 'Stripe',
  documentation: 'https://docs.stripe.com/api/events/types',
  payload: z.looseObject({ type: z.string() }),
  signature: createTimedSignatureCheck('Stripe-Signature', 'Signing secret of the endpoint'),
  route: ({ payload: body }) =>
    stripeEventsWithoutMessagePattern.test(body.type) ? [] : [{ event: body.type, payload: body }],
  events: {
    'charge.succeeded': defineStripeEvent(createAmountTextFormatter('succeeded')),
    'charge.pending': defineStripeEvent(createAmountTextFormatter('is pending')),
    'charge.captured': defineStripeEvent(createAmountTextFormatter('was captured')),
    'charge.updated': defineStripeEvent(createAmountTextFormatter('was updated'), formatChangedStripeFields),
    'charge.refunded': defineStripeEvent((one) => `was refunded: ${formatAmount(one.amount_refunded, one.currency)}`),
    'charge.failed': defineStripeEvent(
      (one) =>
        `${createAmountTextFormatter('failed')(one)}${one.failure_code ? `: ${formatInlineCode(one.failure_code)}` : ''}`,
    ),
    'charge.dispute.created': defineStripeEventInTopic(
      'disputes',
      (one) => `${createAmountTextFormatter('was created')(one)}, status ${snakeCaseToWords(one.status ?? '')}`,
    ),
    'charge.dispute.updated': defineStripeEventInTopic(
      'disputes',
      (one) => `${createAmountTextFormatter('was updated')(one)}, status ${snakeCaseToWords(one.status ?? '')}`,
    ),
    'charge.dispute.closed': defineStripeEventInTopic(
      'disputes',
      (one) => `${createAmountTextFormatter('was closed')(one)}, status ${snakeCaseToWords(one.status ?? '')}`,
    ),
    'charge.refund.updated': defineStripeEventInTopic(
      'refunds',
      (one) =>
        `${createAmountTextFormatter('was updated')(one)} for the ${createDashboardLink('charge', 'charge', getReferenceId(one.charge))}`,
    ),
    'customer.created': defineStripeEvent(
      () => 'was created',
      (one) => (one.email ? `Email: ${toMarkdownLine(one.email)}` : ''),
    ),
    'customer.updated': defineStripeEvent(() => 'was updated', formatChangedStripeFields),
    'customer.deleted': defineStripeEvent(() => 'was deleted'),
    'customer.discount.created': defineDiscountEvent('was added'),
    'customer.discount.updated': defineDiscountEvent('was changed'),
    'customer.discount.deleted': defineDiscountEvent('was removed'),
    'customer.subscription.created': defineStripeEvent(() => 'was created', formatSubscriptionLines),
    'customer.subscription.updated': defineStripeEvent(() => 'was updated', formatChangedStripeFields),
    'customer.subscription.deleted': defineStripeEvent(() => 'was cancelled'),
    'customer.subscription.trial_will_end': defineStripeEvent(
      (one) => `ends its trial ${formatMarkdownTime(one.trial_end)}`,
    ),
    'invoice.created': defineStripeEvent(
      (one) => `was created (${snakeCaseToWords(one.billing_reason ?? 'manual')})`,
      formatInvoiceAmounts,
    ),
    'invoice.updated': defineStripeEvent(() => 'was updated', formatChangedStripeFields),
    'invoice.finalized': defineStripeEvent(() => 'was finalized', formatInvoiceAmounts),
    'invoice.paid': defineStripeEvent((one) => `of ${formatAmount(one.total, one.currency)} was paid`),
    'invoice.payment_succeeded': defineStripeEvent(
      (one) => `of ${formatAmount(one.total, one.currency)}: the payment succeeded`,
    ),
    'invoice.payment_failed': defineStripeEvent(
      (one) => `of ${formatAmount(one.amount_due, one.currency)}: the payment failed`,
    ),
    'invoice.upcoming': defineStripeEvent((one) => `of ${formatAmount(one.amount_due, one.currency)} is upcoming`),
    'invoiceitem.created': defineStripeEvent(createAmountTextFormatter('was created')),
    'payment_intent.succeeded': defineStripeEvent(createAmountTextFormatter('succeeded')),
    'payment_intent.payment_failed': defineStripeEvent(
      (one) =>
        `${createAmountTextFormatter('failed')(one)}${one.last_payment_error?.message ? `: ${toMarkdownLine(one.last_payment_error.message).replace(/\.$/, '')}` : ''}`,
    ),
  },
});
