import type { ReactNode } from 'react'

/** The length from which a message may have to be scrolled. */
const LONG_MESSAGE = 300

/** The message of an error. A long one, such as an entire web page, is scrolled, so that the stack stays visible. */
export function ErrorMessage({ message }: { message: string }): ReactNode {
  return (
    <h2 className="error-message" {...(message.length > LONG_MESSAGE && { tabIndex: 0 })}>
      {message}
    </h2>
  )
}
