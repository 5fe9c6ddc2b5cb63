import { useWebsocket } from '@sdk/react'
import { useState, type ReactNode } from 'react'

/** A room for everybody who has the page open. What is said while offline is sent later. */
export function Chat(): ReactNode {
  const [text, setText] = useState('')
  const { isConnected, send, messages, error } = useWebsocket('/ws/chat')

  return (
    <section aria-labelledby="chat">
      <h2 id="chat">
        Chat <span className="pill">{isConnected ? 'connected' : 'connecting'}</span>
      </h2>
      <ul aria-label="Messages">
        {messages.map((message, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- messages are only ever appended
          <li key={index}>
            <strong>{message.from}</strong> {message.text}
          </li>
        ))}
      </ul>
      {error !== null && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text !== '' && send({ text })) setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder="Say something"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit">Send</button>
      </form>
    </section>
  )
}
