import { relations } from 'drizzle-orm'
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const times = {
  createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  updatedAt: timestamp('updated_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
}
const id = integer('id').primaryKey().generatedByDefaultAsIdentity()

export const authors = pgTable('authors', { id, name: text('name').notNull(), bio: text('bio').notNull(), ...times })
export const articles = pgTable('articles', {
  id,
  title: text('title').notNull(),
  body: text('body').notNull(),
  authorId: integer('author_id').notNull(),
  ...times,
})
export const comments = pgTable('comments', {
  id,
  articleId: integer('article_id').notNull(),
  text: text('text').notNull(),
  ...times,
})
export const favorites = pgTable('favorites', {
  id,
  articleId: integer('article_id').notNull(),
  userId: integer('user_id').notNull(),
  ...times,
})

export const articleRelations = relations(articles, ({ one, many }) => ({
  author: one(authors, { fields: [articles.authorId], references: [authors.id] }),
  comments: many(comments),
}))
export const commentRelations = relations(comments, ({ one }) => ({
  article: one(articles, { fields: [comments.articleId], references: [articles.id] }),
}))
