import { useAPI, useWebsocket } from '@sdk/react'
import { useState, type ReactNode } from 'react'

/** Shows one room: its members, its messages and the input. */
export function Room({ room, name }: { room: string; name: string }): ReactNode {
  const [text, setText] = useState('')
  const { messages, send, status, pending, error } = useWebsocket('/ws/chat', {
    query: { room, name },
    onGap: () => void history.refetch(), // offline for too long: the server no longer has all missed messages
  })
  const people = messages.findLast((message) => message.kind === 'people')
  // Load the history after joining the room, so that no message is missed in between. Duplicates have the same id.
  const history = useAPI('GET /api/rooms/:room/messages', { params: { room }, enabled: people !== undefined })
  const live = messages.filter((message) => message.kind === 'said')
  const byId = new Map([...(history.data ?? []), ...live].map((one) => [one.id, one]))
  const all = [...byId.values()].toSorted((one, other) => one.id - other.id)

  return (
    <main>
      <header>
        <h1># {room}</h1>
        <p aria-label="People">{people?.names.join(', ')}</p>
        <span className="pill" data-status={status} role="status">
          {status === 'open' ? 'connected' : status}
        </span>
      </header>
      <ol aria-label="Messages">
        {all.map(({ id, name: from, text: words }) => (
          <li key={id} className={from === name ? 'own' : ''}>
            <strong>{from}</strong> <span>{words}</span>
          </li>
        ))}
        <li key={`end ${all.length}`} ref={show} aria-hidden="true" />
      </ol>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '' && send({ text })) setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder={`Message #${room}`}
          maxLength={2000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit">Send</button>
      </form>
      <p className="note" role="alert">
        {pending > 0 && status !== 'open' ? `${pending} to be sent after reconnecting` : error?.message}
      </p>
    </main>
  )
}

/** Scrolls to the newest message. */
function show(end: HTMLElement | null): void {
  end?.scrollIntoView({ block: 'end' })
}
