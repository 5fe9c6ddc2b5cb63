/** Shows the chat room: its messages, and messages that are still being sent. */
import { useAuth } from '@sdk/react'
import { useEffect, useRef, useState } from 'react'
import { explain } from '../explain.ts'
import type { Chat as Room, Message } from '../use-chat.ts'
import { Notice } from './Notice.tsx'
import { PageTitle } from './PageTitle.tsx'
import { Skeleton } from './Skeleton.tsx'
import './chat.css'

export default function Chat({ chat }: { chat: Room }) {
  const { messages, waiting, history, hasGap } = chat
  const end = useRef<HTMLLIElement>(null)
  const newest = messages.at(-1)?.id
  const { markRead } = chat
  // oxlint-disable-next-line react/exhaustive-deps -- what it marks is `newest`
  useEffect(() => markRead(), [newest])
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [newest, waiting.length])

  return (
    <>
      <PageTitle title="Chat" lead="One room. Open a second tab, or interrupt the network while you write." />
      {hasGap && <p className="quiet">You were offline for a while. Missed messages were loaded from the history.</p>}
      {history.error !== null && (
        <Notice actions={{ 'Load again': () => void history.refetch() }}>{explain(history.error)}</Notice>
      )}
      {history.isLoading && <Skeleton rows={3} />}
      {history.isSuccess && messages.length + waiting.length === 0 && (
        <div className="empty card">
          <h2>No messages yet</h2>
          <p className="quiet">Say hello. Messages are saved for everyone who joins later.</p>
        </div>
      )}
      {history.hasMore && (
        <button type="button" className="second more" disabled={history.isFetchingNext} onClick={history.fetchNext}>
          Show earlier messages
        </button>
      )}
      <ul className="messages" aria-label="Messages" hidden={messages.length + waiting.length === 0}>
        {messages.map((message) => (
          <Said key={message.id} message={message} />
        ))}
        {waiting.map(({ key, text }) => (
          <li key={key} className="own waiting">
            <p>{text}</p>
            <small>{stateOf(chat)}</small>
          </li>
        ))}
        <li ref={end} aria-hidden="true" className="end" />
      </ul>
      <Composer chat={chat} />
    </>
  )
}

/** The state of our last message: waiting, sending, or rejected. */
function stateOf({ isConnected, refusal }: Room): string {
  if (!isConnected) return 'Waiting for the network'
  return refusal === null ? 'Sending …' : `Not sent. ${explain(refusal)}`
}

function Said({ message: { userId, name, text, createdAt } }: { message: Message }) {
  const isOwn = useAuth().user?.id === userId
  const time = new Date(createdAt).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  return (
    <li className={isOwn ? 'own' : ''}>
      {!isOwn && <strong>{name}</strong>}
      <p>{text}</p>
      <small>
        <time dateTime={createdAt}>{time}</time>
        {isOwn && ' · sent'}
      </small>
    </li>
  )
}

function Composer({ chat }: { chat: Room }) {
  const [text, setText] = useState('')
  const [isFull, setIsFull] = useState(false)
  return (
    <form
      className="row composer"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') return
        const isTaken = chat.say(text.trim())
        setIsFull(!isTaken)
        if (isTaken) setText('')
      }}
    >
      <input
        aria-label="Message"
        placeholder="Say something"
        maxLength={2000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit">Send</button>
      {isFull && <Notice>Too many messages are waiting. Your text stays here until you are online.</Notice>}
    </form>
  )
}
