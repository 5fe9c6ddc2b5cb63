import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { RUN_ID_HEADER } from '@sdk/protocol'
import { Empty } from '../components/empty.tsx'
import { responseHeader, type StreamRecording } from '../run/stream/recording.ts'
import { isAsking, type ChatStyle } from './chat.ts'
import { ConversationView } from './conversation-view.tsx'
import { DecideNotice } from './decide-notice.tsx'
import { LateAnswer } from './late-answer.tsx'
import type { ChatState } from './use-chat.ts'

interface ChatViewProps {
  readonly chat: ChatState
  readonly style: ChatStyle
  readonly recording: StreamRecording
}

/** A chat with an agent: its conversation, and a field for the next message. */
export function ChatView({ chat, style, recording }: ChatViewProps): ReactNode {
  const { messages, isBusy, error, isCancelled, late, say, cancel, restart, decide } = chat
  const isDurable = style === 'text'
  const runId = responseHeader(recording, RUN_ID_HEADER)
  return (
    <div className="chat">
      <div className="chat-scroll" role="log" aria-label="Chat" tabIndex={0}>
        {messages.length === 0 ? (
          <Empty title="No messages yet">
            <p>
              {isDurable
                ? 'Each message is a run of the agent in one thread. The agent reads the earlier messages itself.'
                : 'Each message calls the agent with the whole conversation.'}{' '}
              The result shows the newest call.
            </p>
          </Empty>
        ) : (
          <div className="chat-messages">
            <ConversationView
              messages={messages}
              isBusy={isBusy}
              {...(!isDurable && !isBusy && { onDecide: decide })}
            />
            {isDurable && isAsking(messages.at(-1)) && runId !== null && <DecideNotice runId={runId} />}
            {late !== null && <LateAnswer {...late} />}
            {error !== null && (
              <p className="notice" data-tone="bad" role="alert">
                {error.message}
              </p>
            )}
            {isCancelled && <p className="quiet small">The call was cancelled.</p>}
          </div>
        )}
      </div>
      <Composer isBusy={isBusy} onSend={say} onCancel={cancel}>
        {messages.length > 0 && (
          <button type="button" className="button quiet" disabled={isBusy} onClick={restart}>
            New conversation
          </button>
        )}
      </Composer>
    </div>
  )
}

interface ComposerProps {
  readonly isBusy: boolean
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
  readonly children: ReactNode
}

/** Enter sends the message, and Shift and Enter begin a new line. */
function Composer({ isBusy, onSend, onCancel, children }: ComposerProps): ReactNode {
  const [text, setText] = useState('')
  function submit(): void {
    if (text.trim() === '' || isBusy) return
    onSend(text.trim())
    setText('')
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        aria-label="Message"
        placeholder="Write a message"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="actions">
        {children}
        {isBusy ? (
          <button type="button" className="button" onClick={onCancel}>
            Cancel
          </button>
        ) : (
          <button type="submit" className="button primary" disabled={text.trim() === ''}>
            Send
          </button>
        )}
      </div>
    </form>
  )
}
