import { getToolName, isToolUIPart, type UIMessage } from 'ai'
import { Decision } from './AssistantApprovals.tsx'

type Part = UIMessage['parts'][number]

/** A message: its text, the reasoning of the model, and its tool calls. */
export function Message({ message: { id, role, parts } }: { message: UIMessage }) {
  return (
    <li data-role={role}>
      {parts.map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts are only ever appended
        <MessagePart key={index} part={part} run={id} />
      ))}
    </li>
  )
}

/** The id of an answer is the id of its run. */
function MessagePart({ part, run }: { part: Part; run: string }) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'reasoning')
    return (
      <details>
        <summary>Reasoning</summary>
        <p>{part.text}</p>
      </details>
    )
  if (!isToolUIPart(part)) return null
  return (
    <details open={part.state === 'approval-requested'}>
      <summary>
        {getToolName(part)}: {STATES[part.state] ?? part.state}
      </summary>
      <pre>{JSON.stringify(part.input, null, 2)}</pre>
      {part.state === 'output-available' && <pre>{JSON.stringify(part.output, null, 2)}</pre>}
      {part.state === 'output-error' && <p role="alert">{part.errorText}</p>}
      {part.state === 'approval-requested' && <Decision run={run} call={part.toolCallId} />}
    </details>
  )
}

const STATES: Readonly<Record<string, string>> = {
  'input-streaming': 'preparing',
  'input-available': 'running',
  'approval-requested': 'waiting for approval',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'rejected',
}
