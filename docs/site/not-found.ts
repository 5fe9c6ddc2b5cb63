import { escapeHtml } from './html.ts'

/** Renders the 404 page. It may be shown at any path, so it loads no other file. */
export function toNotFound(title: string, base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>Not found · ${escapeHtml(title)}</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center; padding: 2rem;
  font: 17px/1.6 ui-sans-serif, system-ui, sans-serif; color: light-dark(#17171c, #ededf1); background: light-dark(#fff, #0d0d10); }
p { margin: 0.5rem 0; color: light-dark(#5b5b68, #a2a2af); }
a { color: light-dark(#5b3df5, #ab9dff); }
</style>
</head>
<body><main>
<h1>Page not found</h1>
<p>It may have moved. The <a href="${escapeHtml(base)}">front page</a> lists all pages.</p>
</main></body>
</html>
`
}
