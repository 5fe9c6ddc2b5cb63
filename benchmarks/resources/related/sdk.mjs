// Our server, as users run it: request id, rate limit, security headers and envelope. No request logs, like the peers.
import { openDatabase, table } from '@sdk/database'
import {
  belongsTo,
  countOf,
  createApp,
  createLog,
  createResource,
  createRouter,
  hasMany,
  relate,
  serve,
} from '@sdk/server'
import { report } from '../../harness/report.mjs'
import { Article, Author, Comment, COMMENTS, databaseUrl, Favorite } from './shape.mjs'

const database = openDatabase(databaseUrl)
const access = 'public'
const references = { articleId: { to: 'articles', onDelete: 'cascade' } }
const authors = createResource('authors', { schema: Author, store: table('authors', { database }), access })
const articles = createResource('articles', {
  schema: Article,
  store: table('articles', { database }),
  access,
  references: { authorId: { to: 'authors', onDelete: 'restrict' } },
})
const comments = createResource('comments', {
  schema: Comment,
  store: table('comments', { database }),
  access,
  references,
})
const favorites = createResource('favorites', {
  schema: Favorite,
  store: table('favorites', { database }),
  access,
  references,
  key: ['articleId', 'userId'],
})
const articlesWith = relate(articles, {
  author: belongsTo(authors, 'authorId'),
  comments: hasMany(comments, 'articleId', { limit: COMMENTS, sort: '-id' }),
  favoriteCount: countOf(favorites, 'articleId'),
})
const app = createApp({
  router: createRouter()
    .resource('v1', authors)
    .resource('v1', articlesWith)
    .resource('v1', comments)
    .resource('v1', favorites),
  rateLimit: { default: { quota: 1e9, window: 60 } },
  log: createLog({ level: 'error' }),
})
const server = await serve(app, { port: 0 })
report(server.port)
