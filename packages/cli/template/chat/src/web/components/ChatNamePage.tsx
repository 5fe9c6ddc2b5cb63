import { Chat, useChat } from '@ai-sdk/react'
import { isApiError, SdkProvider, useAPI, useAuth, useSdk, type Sdk } from '@sdk/react'
import { live } from '@sdk/react/live'
import type { UIMessage } from 'ai'
import { useEffect, useState } from 'react'
import { Approvals } from './ChatNameApprovals.tsx'
import { Message } from './ChatNameMessage.tsx'
import { createTransport } from './chat-name-transport.ts'
import './chat-name.css'

/** A conversation with the agent chat-name. It is stored on the server, and continues after a reload. */
export function ChatNamePage() {
  const sdk = useSdk()
  const { isAuthenticated, authLoading } = useAuth()
  const [thread, setThread] = useState(() => new URLSearchParams(location.search).get('thread') ?? 'main')
  if (authLoading) return null
  const startNew = (): void => {
    const id = crypto.randomUUID()
    history.pushState(null, '', `?thread=${id}`)
    setThread(id)
  }
  return (
    <section className="chat-name" aria-label="ChatName">
      <header>
        <h2>ChatName</h2>
        <button type="button" className="plain" onClick={startNew}>
          New conversation
        </button>
      </header>
      {isAuthenticated ? (
        <SdkProvider {...sdk} live={live}>
          <Conversation key={thread} thread={thread} />
          <Approvals />
        </SdkProvider>
      ) : (
        <p>Sign in to chat.</p>
      )}
    </section>
  )
}

function createChat(client: Sdk['client'], thread: string, onActive: (change: 1 | -1) => void): Chat<UIMessage> {
  const chat: Chat<UIMessage> = new Chat({
    id: thread,
    transport: createTransport(client, { onActive, onRetract: () => void chat.resumeStream() }),
  })
  return chat
}

function Conversation({ thread }: { thread: string }) {
  const { client } = useSdk()
  // The number of answers that have begun: while a message is queued, `status` of `useChat` describes only one of them.
  const [active, setActive] = useState(0)
  const [chat] = useState(() => createChat(client, thread, (change) => setActive((count) => count + change)))
  const { messages, sendMessage, error } = useChat({ chat })
  const stop = useAPI('DELETE /agent/chat-name/runs/:run')
  const query = { thread, sort: '-id', limit: 50 } as const
  const { data, error: loadError } = useAPI('GET /api/v1/chatNameMessages', { query, live: true })
  const stored = (data?.data ?? []).toReversed().map(({ key: id, role, parts }) => ({ id, role, parts }) as UIMessage)

  // The messages whose runs are queued: they are stored when their runs begin.
  const { data: runs, refetch: refetchRuns } = useAPI('GET /agent/chat-name/runs', { query: { thread } })
  const queued = (runs?.data ?? []).toReversed().flatMap(({ input }) => (input === null ? [] : [toMessage(input)]))

  // The newest message was sent before a reload, or in another tab: the answer may still be coming.
  const newest = stored.at(-1)
  const unanswered = newest?.role === 'user' && messages.every(({ id }) => id !== newest.id) ? newest.id : null
  useEffect(() => {
    if (unanswered === null) return
    void chat.resumeStream()
    void refetchRuns()
  }, [chat, unanswered, refetchRuns])

  // The answers that were stopped ask for nothing more, although the next answer is in progress.
  const [stoppedBefore, setStoppedBefore] = useState(0)
  if (isCancelled(error) && stoppedBefore !== messages.length) setStoppedBefore(messages.length)
  const stopped = new Set(messages.slice(0, stoppedBefore).map(({ id }) => id))

  const ids = new Set(stored.map(({ id }) => id))
  const shown = [...stored, ...messages.slice(messages.findLastIndex(({ id }) => ids.has(id)) + 1)]
  const isBusy = active > 0
  const answer = isBusy && messages.at(-1)?.role === 'assistant' ? messages.at(-1) : undefined
  return (
    <>
      <div className="scroll">
        <ol aria-label="Conversation" aria-busy={isBusy}>
          {shown.map((message) => (
            <Message key={message.id} message={message} isBusy={isBusy && !stopped.has(message.id)} />
          ))}
          {queued.map(
            (message) =>
              shown.every(({ id }) => id !== message.id) && (
                <Message key={message.id} message={message} isBusy={false} />
              ),
          )}
        </ol>
      </div>
      {loadError !== null && <p role="alert">{loadError.message}</p>}
      {error !== undefined && <p role="alert">{explain(error)}</p>}
      {!isBusy && error === undefined && shown.at(-1)?.role === 'user' && <p role="status">Stopped.</p>}
      <Composer onSend={(text) => void sendMessage({ text })}>
        {answer !== undefined && (
          <button type="button" className="plain" onClick={() => void stop.invoke({ params: { run: answer.id } })}>
            Stop
          </button>
        )}
      </Composer>
    </>
  )
}

function toMessage({ id, text }: { id: string; text: string }): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

function isCancelled(error: unknown): boolean {
  return isApiError(error) && error.code === 'RUN_CANCELLED'
}

function explain(error: Error): string {
  return isCancelled(error) ? 'Stopped.' : `The answer was interrupted: ${error.message}`
}

function Composer({ onSend, children }: { onSend: (text: string) => void; children: React.ReactNode }) {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') return
        onSend(text.trim())
        setText('')
      }}
    >
      <input
        aria-label="Message"
        placeholder="Write a message"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit">Send</button>
      {children}
    </form>
  )
}
