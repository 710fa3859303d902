/**
 * JavaScript of the API's HTML pages. When a button is clicked, the script sends the JSON in the form by the button's
 * HTTP method and shows the response. It sends the CSRF token in the header that the API requires for browser sessions.
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
