/** Shows links that exist only in development: to the workbench and to the source of this page. */
export function DevLinks() {
  if (process.env.NODE_ENV === 'production') return null
  return (
    <nav className="dev-links" aria-label="Development">
      <a href="/_workbench">Workbench</a>
      {['src/web/App.tsx', 'README.md'].map((file) => (
        <button key={file} type="button" className="bare" onClick={() => void fetch(`/__open-in-editor?file=${file}`)}>
          {file}
        </button>
      ))}
    </nav>
  )
}
