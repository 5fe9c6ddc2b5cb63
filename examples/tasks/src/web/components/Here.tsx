/** Shows presence: the people who look at the same page now. */
import { useWebsocket } from '@sdk/react'
import { usePage } from '../router.tsx'

/** The people on the current page, including the user. */
export function Here() {
  const page = usePage()
  // The server sends the list to each new connection, so a page that is left and opened again must not reuse one.
  const { messages } = useWebsocket('/ws/presence', { query: { page }, maxMessages: 1, lingerMs: 0 })
  return (
    <ul className="people" aria-label="Here now">
      {messages.at(-1)?.map(({ userId, name }) => (
        <li key={userId}>
          <span className="dot" /> {name}
        </li>
      ))}
    </ul>
  )
}
