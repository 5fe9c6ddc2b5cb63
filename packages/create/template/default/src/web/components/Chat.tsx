import { useWebsocket } from '@sdk/react'
import { useState } from 'react'
import { Card } from './Card.tsx'

/** A chat room for everyone who has the page open. Messages that are written offline are sent later. */
export function Chat() {
  const [text, setText] = useState('')
  const { isConnected, send, messages, error } = useWebsocket('/ws/chat')

  return (
    <Card title="Chat" file="src/api/chat.ts">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (send({ text })) setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder="Write a message"
          required
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit">Send</button>
      </form>
      {error !== null && <p role="alert">{error.message}</p>}
      {messages.length === 0 && (
        <p className="quiet">{isConnected ? 'Open a second tab to chat with yourself.' : 'Connecting …'}</p>
      )}
      <ul aria-label="Messages">
        {messages.map((message, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- messages are only ever appended
          <li key={index}>
            <span>
              <strong>{message.from}</strong> {message.text}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
