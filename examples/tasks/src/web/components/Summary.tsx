import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'

const EXAMPLE =
  'A route has one name. The server defines it by that name and the page calls it by that name. Chunks arrive as they are made. A cancel reaches the handler.'

/** A streaming agent: every chunk shows as it arrives, and a cancel reaches the handler. */
export function Summary(): ReactNode {
  const [text, setText] = useState(EXAMPLE)
  const [lines, setLines] = useState<string[]>([])
  const { invoke, cancel, isLoading, isSuccess, isError, error } = useAPI('POST /agent/summarize', {
    delimiter: '\n',
    onChunk: (chunk) => setLines((before) => [...before, chunk.sentence]),
  })

  return (
    <section aria-labelledby="summary">
      <h2 id="summary">Summarize</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setLines([])
          void invoke({ text })
        }}
      >
        <textarea aria-label="Text" rows={5} value={text} onChange={(event) => setText(event.target.value)} />
        {isLoading ? (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        ) : (
          <button type="submit">Summarize</button>
        )}
      </form>
      {isError && <p role="alert">{error?.message}</p>}
      <ol>
        {lines.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines are only ever appended
          <li key={index}>{line}</li>
        ))}
      </ol>
      {isSuccess && <p className="quiet">{lines.length} sentences</p>}
    </section>
  )
}
