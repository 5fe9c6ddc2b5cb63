import type { ApiError } from '@sdk/protocol'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import type { JsonSchema } from '../form/json-schema.ts'
import { Keys } from '../components/keys.tsx'
import { jsonSyntaxIssue, readSent, rememberSent, sampleMessage, toBurst } from './sent-history.ts'

interface ComposerProps {
  /** The socket's path, which is the key for storing sent messages. */
  readonly path: string
  /** The schema for messages, if known. */
  readonly schema?: JsonSchema | undefined
  readonly isJsonOnly: boolean
  readonly isOver: boolean
  readonly error: ApiError | null
  readonly send: (text: string) => boolean
}

const MAX_BURST = 10_000

/** A field for sending messages, once or in a burst. It validates JSON, and the arrow keys recall earlier messages. */
export function Composer({ path, schema, isJsonOnly, isOver, error, send }: ComposerProps): ReactNode {
  const [text, setText] = useState(() => readSent(path).at(-1) ?? sampleMessage(schema))
  const [times, setTimes] = useState(1)
  const [back, setBack] = useState(0)
  const issue = jsonSyntaxIssue(text)
  const cannotSend = isOver || (isJsonOnly && issue !== null)

  function onSend(): void {
    if (cannotSend) return
    setBack(0)
    rememberSent(path, text)
    // Stops at the first message that is rejected, since a full queue would reject later ones as well.
    toBurst(text, times).every((one) => send(one))
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      onSend()
      return
    }
    const step = historyStep(event)
    const kept = readSent(path)
    const next = back + step
    if (step === 0 || next < 1 || next > kept.length) return
    event.preventDefault()
    setBack(next)
    setText(kept.at(-next) ?? text)
  }

  return (
    <div className="composer">
      <textarea
        aria-label="Message"
        rows={3}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-foot">
        <span className={issue === null ? 'hint' : 'fault'} aria-live="polite">
          {issue === null ? 'JSON · ↑ for earlier messages' : issue}
        </span>
        <label>
          Repeat
          <input
            type="number"
            min={1}
            max={MAX_BURST}
            title="$n in the text is replaced with the message number"
            value={times}
            onChange={(event) => setTimes(Math.min(MAX_BURST, Math.max(1, Number(event.target.value))))}
          />
        </label>
        <button type="button" className="button primary" disabled={cannotSend} onClick={onSend}>
          Send <Keys of="mod+Enter" />
        </button>
      </div>
      {error !== null && error.details.length > 0 && <Hints error={error} />}
    </div>
  )
}

function Hints({ error }: { error: ApiError }): ReactNode {
  return (
    <ul className="fault" aria-label="Issues found by the server">
      {error.details.map((detail) => (
        <li key={JSON.stringify(detail)}>
          <code>{detail.pointer || '/'}</code> {detail.message}
        </li>
      ))}
    </ul>
  )
}

/**
 * Returns the number of steps to go back in the history: 1 for ArrowUp on the first line, -1 for ArrowDown on the last.
 */
function historyStep({
  key,
  currentTarget: { value, selectionStart },
}: KeyboardEvent<HTMLTextAreaElement>): 1 | -1 | 0 {
  if (key === 'ArrowUp' && !value.slice(0, selectionStart).includes('\n')) return 1
  return key === 'ArrowDown' && !value.slice(selectionStart).includes('\n') ? -1 : 0
}
