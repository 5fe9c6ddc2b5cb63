import { ZodError } from 'zod'

/** An error with a status, for clients. */
export class HttpError extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** Responds to unknown routes. */
export function notFound(request) {
  throw new HttpError(404, `no route matches ${request.path}`)
}

/** Sends errors as RealWorld clients expect them. Express recognizes it by its four parameters. */
export function sendError(error, _request, response, _next) {
  const [status, messages] = toMessages(error)
  response.status(status).json({ errors: { body: messages } })
}

function toMessages(error) {
  if (error instanceof ZodError)
    return [422, error.issues.map(({ path, message }) => `${String(path.at(-1) ?? 'body')}: ${message}`)]
  if (error.code === 'P2002') return [422, ['a value has already been taken']] // a unique index
  if (error.code === 'P2025') return [404, ['not found']]
  if (error.status >= 400 && error.status < 500) return [error.status, [error.message]] // also invalid JSON
  console.error(error)
  return [500, ['internal error']]
}
