import type { FormatError } from '@sdk/server'

/** Sends errors as RealWorld clients expect them, such as `{ errors: { body: ['title is required'] } }`. */
const formatError: FormatError = ({ status, message, details }) => {
  const texts = details.map(({ pointer, name, message: text }) => `${name ?? pointer?.split('/').at(-1) ?? ''} ${text}`)
  return {
    status: status === 400 || status === 409 ? 422 : status,
    body: { errors: { body: texts.length === 0 ? [message] : texts.map((text) => text.trim()) } },
  }
}

export default formatError
