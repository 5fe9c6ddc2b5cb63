import { getToolName, isToolUIPart, type UIMessage } from 'ai'
import { Decision } from './AssistantApprovals.tsx'

type Part = UIMessage['parts'][number]

/** A message: its text, the reasoning of the model, and its tool calls. */
export function Message({ message: { id, role, parts }, isBusy }: { message: UIMessage; isBusy: boolean }) {
  return (
    <li data-role={role}>
      {parts.map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts are only ever appended
        <MessagePart key={index} part={part} run={isBusy ? id : null} />
      ))}
    </li>
  )
}

/** A part of a message. `run` is the run of the answer, which has the same id, or null if it was stopped or has ended. */
function MessagePart({ part, run }: { part: Part; run: string | null }) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'reasoning')
    return (
      <details>
        <summary>Reasoning</summary>
        <p>{part.text}</p>
      </details>
    )
  if (!isToolUIPart(part)) return null
  const asks = run !== null && part.state === 'approval-requested'
  return (
    <details open={asks}>
      <summary>
        {getToolName(part)}: {ENDS[part.state] ?? (run === null ? 'stopped' : (STATES[part.state] ?? part.state))}
      </summary>
      <pre>{JSON.stringify(part.input, null, 2)}</pre>
      {part.state === 'output-available' && <pre>{JSON.stringify(part.output, null, 2)}</pre>}
      {part.state === 'output-error' && <p role="alert">{part.errorText}</p>}
      {asks && <Decision run={run} call={part.toolCallId} />}
    </details>
  )
}

const STATES: Readonly<Record<string, string>> = {
  'input-streaming': 'preparing',
  'input-available': 'running',
  'approval-requested': 'waiting for approval',
}

const ENDS: Readonly<Record<string, string>> = {
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'rejected',
}
