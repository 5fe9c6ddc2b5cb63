// Users and profiles
import bcrypt from 'bcryptjs'
import { Router } from 'express'
import { z } from 'zod'
import { requireUser, signToken } from './auth.mjs'
import { HttpError } from './errors.mjs'
import { prisma } from './prisma.mjs'
import { selectProfile, toProfile } from './profiles.mjs'

const newUser = z.object({
  username: z.string().trim().min(1).max(40),
  email: z.email().toLowerCase(),
  password: z.string().min(8).max(128),
})
const text = z.string().max(2_000).nullable()
const signUpInput = z.object({ user: newUser })
const signInInput = z.object({ user: z.object({ email: z.string(), password: z.string() }) })
const updateInput = z.object({ user: newUser.extend({ bio: text, image: text }).partial() })

export const users = Router()

users.post('/users', async (request, response) => {
  const { user } = signUpInput.parse(request.body)
  const created = await prisma.user.create({ data: { ...user, password: await bcrypt.hash(user.password, 10) } })
  response.status(201).json(toAccount(created, signToken(created.id)))
})

users.post('/users/login', async (request, response) => {
  const { email, password } = signInInput.parse(request.body).user
  const user = await prisma.user.findUnique({ where: { email: email.toLowerCase() } })
  const isCorrect = user !== null && (await bcrypt.compare(password, user.password))
  if (!isCorrect) throw new HttpError(401, 'email or password is wrong')
  response.json(toAccount(user, signToken(user.id)))
})

users.get('/user', requireUser, async (request, response) => {
  const user = await prisma.user.findUnique({ where: { id: request.userId } })
  if (user === null) throw new HttpError(401, 'sign in first')
  response.json(toAccount(user, request.token))
})

users.put('/user', requireUser, async (request, response) => {
  const { password, ...fields } = updateInput.parse(request.body).user
  const data = password === undefined ? fields : { ...fields, password: await bcrypt.hash(password, 10) }
  const user = await prisma.user.update({ where: { id: request.userId }, data })
  response.json(toAccount(user, request.token))
})

users.get('/profiles/:username', async (request, response) => {
  response.json({ profile: toProfile(await getProfile(request)) })
})

users.post('/profiles/:username/follow', requireUser, async (request, response) => {
  const { id: userId } = await getProfile(request)
  const follow = { userId, followerId: request.userId }
  await prisma.follow.upsert({ where: { userId_followerId: follow }, create: follow, update: {} })
  response.json({ profile: toProfile(await getProfile(request)) })
})

users.delete('/profiles/:username/follow', requireUser, async (request, response) => {
  const { id: userId } = await getProfile(request)
  await prisma.follow.deleteMany({ where: { userId, followerId: request.userId } })
  response.json({ profile: toProfile(await getProfile(request)) })
})

async function getProfile({ params: { username }, userId }) {
  const user = await prisma.user.findUnique({ where: { username }, select: { id: true, ...selectProfile(userId) } })
  if (user === null) throw new HttpError(404, 'user not found')
  return user
}

function toAccount({ email, username, bio, image }, token) {
  return { user: { email, token, username, bio, image } }
}
