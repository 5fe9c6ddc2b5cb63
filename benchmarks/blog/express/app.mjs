import express from 'express'
import { articles } from './articles.mjs'
import { authenticate } from './auth.mjs'
import { comments } from './comments.mjs'
import { notFound, sendError } from './errors.mjs'
import { users } from './users.mjs'

export const app = express()
app.disable('x-powered-by')
app.use(express.json())
app.use('/api', authenticate, users, articles, comments)
app.use(notFound)
app.use(sendError)
