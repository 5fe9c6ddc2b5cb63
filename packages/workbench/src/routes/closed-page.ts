/** The stylesheet for the page below. It is a separate file because the workbench's CSP forbids inline styles. */
export const CLOSED_STYLE = {
  path: '/closed.css',
  text: `:root { color-scheme: light dark; }
body {
  display: grid;
  place-items: center;
  min-height: 100vh;
  margin: 0;
  background: light-dark(#f3f3f5, #101013);
  color: light-dark(#1b1b20, #ececf1);
  font: 15px/1.6 system-ui, sans-serif;
}
main {
  box-sizing: border-box;
  max-width: 480px;
  margin: 16px;
  padding: 28px 32px;
  border: 1px solid light-dark(#e2e2e7, #2a2a31);
  border-radius: 12px;
  background: light-dark(#fff, #17171b);
}
h1 { margin: 0 0 8px; font-size: 19px; line-height: 1.3; }
p { margin: 0 0 10px; color: light-dark(#5a5a65, #a5a5b1); }
p:last-child { margin: 0; }
code {
  padding: 1px 5px;
  border-radius: 4px;
  background: light-dark(#eeeef2, #26262d);
  color: light-dark(#1b1b20, #ececf1);
  font: 13px ui-monospace, monospace;
}
`,
} as const

/** The page for browsers without the cookie. It contains no script and no project data. */
export const CLOSED_PAGE: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Workbench: link required</title>
<link rel="stylesheet" href="/_workbench${CLOSED_STYLE.path}">
</head>
<body>
<main>
<h1>Open the workbench with its link</h1>
<p>Only the person who started this server may open the workbench, and this browser has no cookie for it yet.</p>
<p>Open the link that <code>sdk dev</code> printed.
To print it again, run <code>sdk info</code> in the project folder.</p>
</main>
</body>
</html>
`
