import type { MarkdownIt } from 'markdown-it';

const genericTopLevelDomains =
  'aero app asia biz blog cloud com coop dev edu eu gov info int io jobs mil mobi museum name net org pro shop site tech travel wiki xyz';

/** Country top-level domains, without domains that are also file name extensions, such as py, md, rs, sh and pl. */
const countryTopLevelDomains =
  'ac ad ae af ag ai al am ao aq ar at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf cg ' +
  'ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et fi fj fk fm fo fr ga gd ge gf gg gh ' +
  'gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in iq ir is it je jm jo jp ke kg kh ki km kn kp ' +
  'kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me mg mh mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ' +
  'ni nl no np nr nu nz om pa pe pf pg ph pk pm pn pr pt pw qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr st su ' +
  'sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va ve vg vi vn vu wf ws ye yt za zm zw';

/** Regular expression of a URL without a scheme. */
const hostWithoutSchemePattern = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?:[/?#:]|$)/i;

/**
 * Adds the Markdown rule that links URLs without a scheme. In plain text, only URLs with known top-level domains become
 * links. In `[…](…)`, URLs with any domain become links.
 */
export function addUrlWithoutSchemeRule(markdown: MarkdownIt): void {
  markdown.linkify.set({ fuzzyLink: true, tlds: `${genericTopLevelDomains} ${countryTopLevelDomains}`.split(' ') });
  const { normalizeLink } = markdown;
  markdown.normalizeLink = (url) => normalizeLink(hostWithoutSchemePattern.test(url) ? `http://${url}` : url);
}
