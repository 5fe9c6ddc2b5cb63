/** Shows presence: the people who look at the same page now. */
import { useWebsocket } from '@sdk/react'
import { usePage } from '../router.tsx'

/** The people on the current page, including the user. */
export function Here() {
  const page = usePage()
  const { messages } = useWebsocket('/ws/presence', { query: { page }, maxMessages: 1 })
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
