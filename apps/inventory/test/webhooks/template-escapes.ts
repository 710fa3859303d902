/**
 * A template that attempts to escape from the template sandbox. Contains the expected error, or the expected harmless
 * output.
 */
export interface Escape {
  readonly template: string;
  /** Pattern of the expected error message. Undefined if the template is harmless and causes no error. */
  readonly refused?: string;
  /** Expected request body if the template is harmless. */
  readonly gives?: string;
}

const refused = (reason: string, ...templates: string[]): Escape[] =>
  templates.map((template) => ({ template, refused: reason }));

const secret = 'SecurityError: ';
const undefinedName = 'UndefinedError: ';

/**
 * Templates with known sandbox escapes. The escapes come from Jinja, from JavaScript engines, and from services that
 * render the templates of their users.
 */
export const bodyEscapes: readonly Escape[] = [
  ...refused(
    secret,
    '{{ "".__class__.__mro__[1].__subclasses__() }}',
    '{{ data.__class__ }}',
    '{{ self.__dict__ }}',
    '{{ data.name.constructor.constructor("return process")() }}',
    '{{ data["__proto__"]["polluted"] }}',
    '{{ data["__pro" ~ "to__"] }}',
    '{{ data|attr("__proto__") }}',
    '{{ data.tags.constructor }}',
    '{{ [data]|map(attribute="__class__")|list }}',
    '{{ data.tags|map(attribute="name.constructor")|list }}',
    '{{ range.constructor("return process")() }}',
    '{{ range.__globals__ }}',
    '{{ cycler.__init__.__globals__.os.popen("id").read() }}',
    '{{ joiner.__init__.__globals__ }}',
    '{{ namespace.__init__.__globals__ }}',
    '{{ "{0.__class__}".format(data) }}',
    '{{ "{0.__globals__[os]}".format(range) }}',
    '{% for tag in data.tags %}{{ loop.__class__ }}{% endfor %}',
    '{% macro m() %}{% endmacro %}{{ m.__globals__ }}',
    '{% set ns = namespace() %}{% set ns.__proto__ = data %}{{ ns.constructor }}',
    '{{ data.name.upper.__globals__ }}',
  ),
  ...refused(
    undefinedName,
    '{{ process.env }}',
    '{{ process.mainModule.require("child_process").execSync("id") }}',
    '{{ globalThis.process }}',
    '{{ require("fs").readFileSync("/etc/passwd") }}',
    '{{ config.items() }}',
    '{{ lipsum.__globals__["os"] }}',
    '{{ get_flashed_messages.__globals__ }}',
    '{{ request.application.__globals__ }}',
    '{{ webhook.secret }}',
    '{{ open("/etc/passwd") }}',
  ),
  ...refused(
    'TemplateSyntaxError: |TemplateNotFound: ',
    '{% import "os" as os %}',
    '{% from "child_process" import exec %}',
    '{% include "/etc/passwd" %}',
    '{% extends "../../../etc/passwd" %}',
    '{% set data.name.constructor = 1 %}',
  ),
  ...refused(
    'TemplateRuntimeError: ',
    '{{ "PATH"|env }}',
    '{{ "__proto__"|env }}',
    '{{ "constructor"|env }}',
    '{{ data|constructor }}',
    '{{ data|__proto__ }}',
    '{{ data is __proto__ }}',
  ),
  ...refused(
    'TemplateLimitError: ',
    '{% for i in range(999999999) %}x{% endfor %}',
    '{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}',
    '{{ "x" * 99999999 }}',
    '{% set ns = namespace(t="x") %}{% for i in range(64) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}',
    '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    '{{ "%999999999d"|format(1) }}',
    `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
  ),
  { template: '{{ constructor }}{{ prototype }}{{ Object }}{{ eval }}{{ this }}', gives: '' },
  { template: '{{ data.toString }}{{ data.hasOwnProperty }}{{ data.tags.length }}{{ data.name.at }}', gives: '' },
  { template: '{{ data.secret }}{{ snapshots.secret }}{{ secret }}{{ env }}', gives: '' },
  { template: '{{ {"__proto__": {"polluted": 1}}|tojson }}', gives: '{"__proto__": {"polluted": 1}}' },
  { template: '{{ "{{ process.env }}" }}', gives: '{{ process.env }}' },
];

/** Templates that try to write a header that is reserved, or a header that the webhook does not contain. */
export const headerEscapes: readonly Escape[] = [
  ...refused(
    secret,
    'X-Note: {{ data.comments }}',
    'X-Note: {{ "a\\nX-Forged: yes" }}',
    'X-Note: {{ "a\\rX-Forged: yes" }}',
    'X-Note: {{ ["a", "X-Forged: yes"]|join("\\r\\n") }}',
    'X-Note: {% for line in [data.comments] %}{{ line }}{% endfor %}',
    '{% macro m(text) %}{{ text }}{% endmacro %}X-Note: {{ m(data.comments) }}',
    '{% set note %}{{ data.comments }}{% endset %}X-Note: a',
    'X-Note: {% filter upper %}{{ data.comments }}{% endfilter %}',
  ),
  ...refused(
    'is refused: ',
    'X-Note: {{ "a\\x00b" }}',
    'X-Note: {{ "\\u010aX-Forged: yes" }}',
    '{{ "Host" }}: internal.example',
    '{{ "Transfer" }}-Encoding: chunked',
    '{{ "Content-Length" }}: 0',
    '{{ data.name }}: x',
    '{{ "Connection" }}: x-hook-signature',
  ),
  { template: '{{ "Webhook-Id" }}: forged\n{{ "X-Hook-Signature" }}: forged' },
  { template: 'X-Note: {{ data.comments|header_safe }}' },
  { template: 'X-Note: {{ data.comments|tojson }}' },
];

/** Templates for the URL of a webhook that render to a forbidden or invalid address. */
export const urlEscapes: readonly Escape[] = [
  ...refused(
    'is refused: ',
    'http://{{ "169.254.169.254" }}/latest/meta-data/',
    'http://169.254.{{ 169 }}.254/',
    'http://{{ 2852039166 }}/',
    'http://[::ffff:{{ "169.254.169.254" }}]/',
    'http://0xA9FEA9{{ "FE" }}/',
    'http://10.{{ 0 }}.0.1/',
    '{{ "http:" }}//192.168.{{ data.id }}.1/',
  ),
  ...refused('Only http and https are supported', '{{ "file" }}:///etc/passwd', '{{ "gopher" }}://127.0.0.1:6379/_x'),
  ...refused(
    'must not carry credentials',
    'http://{{ "user:password@" }}127.0.0.1/',
    'http://{{ "good.example@" }}127.0.0.1/',
  ),
  ...refused(
    'cannot be parsed',
    '{{ data.tenant }}',
    '{{ "" }}{{ nothing }}',
    'http://{{ "" }}/',
    'http://{{ data.name }}/',
  ),
  ...refused(secret, 'http://127.0.0.1/{{ data.__class__ }}'),
];
