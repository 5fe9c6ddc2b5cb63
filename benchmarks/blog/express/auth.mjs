import jwt from 'jsonwebtoken'
import { HttpError } from './errors.mjs'

const { AUTH_SECRET } = process.env

/** Creates the token of a user. */
export function signToken(userId) {
  return jwt.sign({ userId }, AUTH_SECRET, { expiresIn: '7d' })
}

/** Reads the token of a request. Guests have no `userId`. */
export function authenticate(request, _response, next) {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ')
  try {
    if (scheme === 'Token') Object.assign(request, { token, userId: jwt.verify(token, AUTH_SECRET).userId })
  } catch {
    // an invalid or expired token: a guest
  }
  next()
}

/** Rejects guests. */
export function requireUser(request, _response, next) {
  if (request.userId === undefined) throw new HttpError(401, 'sign in first')
  next()
}
