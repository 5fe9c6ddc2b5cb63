/** Links to the workbench, and to files that open in your editor. Production builds do not contain them. */
export function DevLinks() {
  if (process.env.NODE_ENV === 'production') return null
  return (
    <nav className="dev-links" aria-label="Development">
      <a href="/_workbench">Workbench</a>
      {['src/web/App.tsx', 'README.md'].map((file) => (
        <button key={file} type="button" className="plain" onClick={() => void fetch(`/__open-in-editor?file=${file}`)}>
          {file}
        </button>
      ))}
    </nav>
  )
}
