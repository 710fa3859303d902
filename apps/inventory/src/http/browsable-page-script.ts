/**
 * Script of the API's HTML pages. The script sends the JSON in the page's form with the method of the clicked button,
 * and shows the response. The CSRF token is sent in the header that the API requires for sessions.
 */
export const browsablePageScript = `
const form = document.getElementById('request');
const output = document.getElementById('response');
const cookie = (name) => document.cookie.split('; ').find((pair) => pair.startsWith(name + '='))?.slice(name.length + 1) ?? '';

form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const method = event.submitter?.value ?? 'OPTIONS';
  if (method === 'DELETE' && !confirm('Delete ' + location.pathname + '?')) return;
  const text = form.elements.body.value.trim();
  const headers = { accept: 'application/json', 'x-csrftoken': decodeURIComponent(cookie('csrftoken')) };
  const hasBody = method !== 'OPTIONS' && text !== '';
  if (hasBody) headers['content-type'] = 'application/json';
  output.textContent = method + ' …';
  try {
    const response = await fetch(location.pathname, { method, headers, ...(hasBody ? { body: text } : {}) });
    const received = await response.text();
    let shown = received;
    try { shown = JSON.stringify(JSON.parse(received), null, 2); } catch { shown = received; }
    output.textContent = method + ' ' + response.status + '\\n' + shown;
  } catch (error) {
    output.textContent = method + ' failed: ' + error.message;
  }
});`;
