import type { ReactNode } from 'react'
import { Empty } from '../components/empty.tsx'
import { Pill, type Tone } from '../components/pill.tsx'
import { toolNameOf, type ChatMessage, type ChatPart } from './chat-message.ts'
import './conversation.css'

interface ConversationViewProps {
  readonly messages: readonly ChatMessage[]
  /** Whether the last answer is not complete. @default false */
  readonly isBusy?: boolean
  /** Approves or rejects a tool call. @default calls cannot be approved here */
  readonly onDecide?: (toolCallId: string, isApproved: boolean) => void
}

/** A conversation: texts, reasoning, tool calls and files. */
export function ConversationView({ messages, isBusy = false, onDecide }: ConversationViewProps): ReactNode {
  if (messages.length === 0) return <Empty title="No messages" />
  const last = messages.at(-1)
  return (
    <ol className="conversation" aria-label="Conversation">
      {messages.map((message, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- ids may repeat, and messages do not move
        <li key={index} data-role={message.role}>
          <Message message={message} onDecide={message === last ? onDecide : undefined} />
          {isBusy && message === last && <p className="quiet small answering">Answering</p>}
        </li>
      ))}
    </ol>
  )
}

type OnDecide = ConversationViewProps['onDecide']

function Message({ message: { role, parts }, onDecide }: { message: ChatMessage; onDecide: OnDecide }): ReactNode {
  const views = parts.map((part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- parts are only ever appended
    <MessagePart key={index} part={part} onDecide={onDecide} />
  ))
  if (role !== 'system')
    return (
      <>
        <p className={role === 'user' ? 'unseen' : 'message-role'}>{ROLES[role] ?? role}</p>
        {views}
      </>
    )
  return (
    <details>
      <summary className="quiet small">System prompt</summary>
      {views}
    </details>
  )
}

const ROLES: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant' }

function MessagePart({ part, onDecide }: { part: ChatPart; onDecide: OnDecide }): ReactNode {
  const { type, text, url, mediaType, filename, title, data, errorText } = part
  const tool = toolNameOf(part)
  if (tool !== null) return <ToolPart part={part} name={tool} onDecide={onDecide} />
  if (type === 'text') return text === '' ? null : <p className="message-text">{text}</p>
  if (type === 'reasoning')
    return (
      <details>
        <summary className="quiet small">Reasoning</summary>
        <p className="message-text quiet">{text === '' ? 'The provider did not send the text.' : text}</p>
      </details>
    )
  if (type === 'error')
    return (
      <p className="notice" data-tone="bad">
        {errorText}
      </p>
    )
  if (type === 'abort') return <p className="quiet small">The answer was aborted.</p>
  if (type === 'file' && mediaType?.startsWith('image/') === true && url?.startsWith('data:image/') === true)
    return <img src={url} alt={filename ?? 'An image'} />
  if (type === 'file' || type === 'source-document')
    return (
      <p className="quiet">
        File: <code>{filename ?? title ?? mediaType}</code>
      </p>
    )
  if (type === 'source-url')
    return (
      <p className="quiet cut">
        Source: <code>{url}</code> {title}
      </p>
    )
  return type.startsWith('data-') ? <Details title={type} value={data} /> : null
}

function ToolPart({ part, name, onDecide }: { part: ChatPart; name: string; onDecide: OnDecide }): ReactNode {
  const { input, output, state = '', errorText, toolCallId = '' } = part
  const [tone, label] = TOOL_STATES[state] ?? ['quiet', state]
  const isAsked = state === 'approval-requested'
  return (
    <details className="tool-part" open={isAsked}>
      <summary>
        <code>{name}</code>
        <Pill tone={tone}>{label}</Pill>
      </summary>
      {input !== undefined && <Details title="Input" value={input} />}
      {output !== undefined && <Details title="Output" value={output} />}
      {errorText !== undefined && <p className="fault">{errorText}</p>}
      {isAsked && onDecide !== undefined && (
        <p className="actions">
          <button type="button" className="button primary small" onClick={() => onDecide(toolCallId, true)}>
            Approve
          </button>
          <button type="button" className="button small" onClick={() => onDecide(toolCallId, false)}>
            Reject
          </button>
        </p>
      )}
    </details>
  )
}

const TOOL_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  'input-streaming': ['busy', 'preparing'],
  'input-available': ['busy', 'called'],
  'approval-requested': ['warn', 'waits for approval'],
  'approval-responded': ['busy', 'decided'],
  'output-available': ['good', 'done'],
  'output-error': ['bad', 'failed'],
  'output-denied': ['quiet', 'rejected'],
}

function Details({ title, value }: { title: string; value: unknown }): ReactNode {
  return (
    <figure className="part-value">
      <figcaption className="small">{title}</figcaption>
      <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </figure>
  )
}
