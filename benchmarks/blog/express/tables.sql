-- The tables that `prisma migrate dev` creates for `schema.prisma`.
CREATE TABLE "User" (
  "id" SERIAL PRIMARY KEY, "email" TEXT NOT NULL, "username" TEXT NOT NULL, "password" TEXT NOT NULL, "bio" TEXT, "image" TEXT
);
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");
CREATE UNIQUE INDEX "User_username_key" ON "User"("username");
CREATE TABLE "Article" (
  "id" SERIAL PRIMARY KEY, "slug" TEXT NOT NULL, "title" TEXT NOT NULL, "description" TEXT NOT NULL, "body" TEXT NOT NULL,
  "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" TIMESTAMP(3) NOT NULL,
  "authorId" INTEGER NOT NULL REFERENCES "User" ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "Article_slug_key" ON "Article"("slug");
CREATE INDEX "Article_authorId_idx" ON "Article"("authorId");
CREATE TABLE "Tag" (
  "articleId" INTEGER NOT NULL REFERENCES "Article" ON DELETE CASCADE ON UPDATE CASCADE,
  "name" TEXT NOT NULL,
  PRIMARY KEY ("articleId", "name")
);
CREATE INDEX "Tag_name_idx" ON "Tag"("name");
CREATE TABLE "Comment" (
  "id" SERIAL PRIMARY KEY, "body" TEXT NOT NULL,
  "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" TIMESTAMP(3) NOT NULL,
  "articleId" INTEGER NOT NULL REFERENCES "Article" ON DELETE CASCADE ON UPDATE CASCADE,
  "authorId" INTEGER NOT NULL REFERENCES "User" ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "Comment_articleId_idx" ON "Comment"("articleId");
CREATE TABLE "Favorite" (
  "articleId" INTEGER NOT NULL REFERENCES "Article" ON DELETE CASCADE ON UPDATE CASCADE,
  "userId" INTEGER NOT NULL REFERENCES "User" ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY ("articleId", "userId")
);
CREATE INDEX "Favorite_userId_idx" ON "Favorite"("userId");
CREATE TABLE "Follow" (
  "followerId" INTEGER NOT NULL REFERENCES "User" ON DELETE CASCADE ON UPDATE CASCADE,
  "userId" INTEGER NOT NULL REFERENCES "User" ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY ("userId", "followerId")
);
CREATE INDEX "Follow_followerId_idx" ON "Follow"("followerId");
