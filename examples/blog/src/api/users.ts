/** The routes for users and profiles of the RealWorld API. */
import { ApiError, createRouter, requireUser, type Context, type User } from '@sdk/server'
import { z } from 'zod'
import { auth } from '../auth.ts'
import { findProfiles, profile } from './profiles.ts'
import { follows } from './resources.ts'
import { ignoreMissing } from './row-helpers.ts'

const newUser = z.object({
  username: z.string().trim().min(1).max(40),
  email: z.string(),
  password: z.string().min(8).max(128),
})
const text = z.string().max(2_000).nullable()
const changes = newUser.extend({ bio: text, image: text }).partial()
const account = newUser.omit({ password: true }).extend({ token: z.string(), bio: text, image: text })

export const users = createRouter()
  .on('POST /users', {
    input: z.object({ user: newUser }),
    status: 201,
    handler: async (_ctx, { user }) => signIn(await auth.users.create({ ...user, name: user.username })),
  })
  .on('POST /users/login', {
    input: z.object({ user: z.object({ email: z.string(), password: z.string() }) }),
    handler: async ({ address }, { user: { email, password } }) =>
      signIn(await auth.users.verifyPassword(email, password, { address })),
  })
  .on('GET /user', async (ctx) => toAccount(await requireUser(ctx), tokenOf(ctx)))
  .on('PUT /user', {
    input: z.object({ user: changes }),
    async handler(ctx, { user: { password, ...fields } }) {
      const { id } = await requireUser(ctx)
      const user = await auth.users.update(id, { ...fields, name: fields.username })
      if (password === undefined) return toAccount(user, tokenOf(ctx))
      await auth.users.setPassword(id, password) // ends all sessions
      return signIn(user)
    },
  })
  .on('GET /profiles/:username', async (ctx) => ({ profile: profile.parse(await getProfile(ctx)) }))
  .on('POST /profiles/:username/follow', async (ctx) => {
    const [{ id: ownerId }, { id: userId }] = [await requireUser(ctx), await getProfile(ctx)]
    await ctx.rows(follows).replace({ userId, ownerId }, {}) // creates the row, unless it exists
    return { profile: profile.parse(await getProfile(ctx)) }
  })
  .on('DELETE /profiles/:username/follow', async (ctx) => {
    const [{ id: ownerId }, { id: userId }] = [await requireUser(ctx), await getProfile(ctx)]
    await ctx.rows(follows).delete({ userId, ownerId }).catch(ignoreMissing)
    return { profile: profile.parse(await getProfile(ctx)) }
  })

async function signIn(user: User) {
  return toAccount(user, (await auth.users.createSession(user.id)).token)
}

const toAccount = (user: User, token: string) => ({ user: account.parse({ ...user, token }) })
const tokenOf = (ctx: Context) => ctx.header('authorization')?.split(' ').at(-1) ?? ''

async function getProfile(ctx: Context<{ username: string }>) {
  const [found] = await findProfiles(ctx, { username: ctx.params.username })
  if (found === undefined) throw new ApiError('NOT_FOUND', 'user not found')
  return found
}
