// What Assimp reads of a file: where its nodes are at some moments of its first animation. assimp_pose FILE prints JSON:
// {"nodes": [names], "times": [seconds], "places": [[x, y, z, …] a moment]}. Build, with libassimp-dev installed:
//   gcc -std=c17 -O2 bench/peers/assimp_pose.c -lassimp -lm -o build/assimp_pose
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 7, MOST = 4096 };

typedef struct node_at {
    const struct aiNode *node;
    int parent;
} node_at;

static node_at nodes[MOST];
static int node_count;

static void list_nodes(const struct aiNode *node, int parent)
{
    const int self = node_count;
    if (node_count == MOST) {
        return;
    }
    nodes[node_count++] = (node_at){node, parent};
    for (unsigned c = 0; c < node->mNumChildren; ++c) {
        list_nodes(node->mChildren[c], self);
    }
}

/// The key before t and how far t is to the next.
static unsigned key_before(const double *time, size_t stride, unsigned count, double t,
                           double *share)
{
    unsigned k = 0;
#define TIME(i) (*(const double *)(const void *)((const char *)time + (i)*stride))
    while (k + 1 < count && TIME(k + 1) <= t) {
        ++k;
    }
    *share = k + 1 < count && t > TIME(k) ? (t - TIME(k)) / (TIME(k + 1) - TIME(k)) : 0;
    return k;
}

static struct aiVector3D vector_at(const struct aiVectorKey *keys, unsigned count, double t)
{
    double share;
    const unsigned k = key_before(&keys[0].mTime, sizeof *keys, count, t, &share);
    const struct aiVector3D a = keys[k].mValue, b = keys[share > 0 ? k + 1 : k].mValue;
    return (struct aiVector3D){a.x + (float)share * (b.x - a.x), a.y + (float)share * (b.y - a.y),
                               a.z + (float)share * (b.z - a.z)};
}

static struct aiQuaternion turn_at(const struct aiQuatKey *keys, unsigned count, double t)
{
    double share;
    const unsigned k = key_before(&keys[0].mTime, sizeof *keys, count, t, &share);
    struct aiQuaternion out = keys[k].mValue;
    if (share > 0) {
        aiQuaternionInterpolate(&out, &keys[k].mValue, &keys[k + 1].mValue, (float)share);
    }
    return out;
}

static struct aiMatrix4x4 local_of(const struct aiNode *node, const struct aiAnimation *animation,
                                   double t)
{
    for (unsigned c = 0; animation != NULL && c < animation->mNumChannels; ++c) {
        const struct aiNodeAnim *channel = animation->mChannels[c];
        if (strcmp(channel->mNodeName.data, node->mName.data) != 0) {
            continue;
        }
        const struct aiVector3D place =
            vector_at(channel->mPositionKeys, channel->mNumPositionKeys, t);
        const struct aiVector3D scale =
            vector_at(channel->mScalingKeys, channel->mNumScalingKeys, t);
        const struct aiQuaternion turn =
            turn_at(channel->mRotationKeys, channel->mNumRotationKeys, t);
        struct aiMatrix4x4 out;
        aiMatrix4FromScalingQuaternionPosition(&out, &scale, &turn, &place);
        return out;
    }
    return node->mTransformation;
}

static void print_moment(const struct aiAnimation *animation, double tick)
{
    static struct aiMatrix4x4 world[MOST];
    putchar('[');
    for (int n = 0; n < node_count; ++n) {
        struct aiMatrix4x4 local = local_of(nodes[n].node, animation, tick);
        if (nodes[n].parent >= 0) {
            world[n] = world[nodes[n].parent];
            aiMultiplyMatrix4(&world[n], &local);
        } else {
            world[n] = local;
        }
        printf("%s%.9g,%.9g,%.9g", n > 0 ? "," : "", (double)world[n].a4, (double)world[n].b4,
               (double)world[n].c4);
    }
    putchar(']');
}

int main(int argc, char **argv)
{
    const struct aiScene *scene = argc == 2 ? aiImportFile(argv[1], 0) : NULL;
    if (scene == NULL) {
        fprintf(stderr, "%s\n", aiGetErrorString());
        return 1;
    }
    const struct aiAnimation *animation = scene->mNumAnimations > 0 ? scene->mAnimations[0] : NULL;
    const double rate =
        animation != NULL && animation->mTicksPerSecond > 0 ? animation->mTicksPerSecond : 25;
    list_nodes(scene->mRootNode, -1);
    printf("{\"nodes\":[");
    for (int n = 0; n < node_count; ++n) {
        printf("%s\"", n > 0 ? "," : "");
        for (const char *at = nodes[n].node->mName.data; *at != 0; ++at) {
            printf(*at == '"' || *at == '\\' || (unsigned char)*at < 32 ? "\\u%04x" : "%c",
                   (unsigned char)*at);
        }
        putchar('"');
    }
    // Moments at keys of the longest channel, so that nothing lies between them.
    const struct aiNodeAnim *longest = NULL;
    for (unsigned c = 0; animation != NULL && c < animation->mNumChannels; ++c) {
        const struct aiNodeAnim *channel = animation->mChannels[c];
        longest = longest == NULL || channel->mNumRotationKeys > longest->mNumRotationKeys
                      ? channel
                      : longest;
    }
    double ticks[MOMENTS] = {0};
    const int moments = longest != NULL ? MOMENTS : 1;
    for (int m = 0; m < moments && longest != NULL; ++m) {
        ticks[m] =
            longest->mRotationKeys[(size_t)m * (longest->mNumRotationKeys - 1) / (MOMENTS - 1)]
                .mTime;
    }
    printf("],\"times\":[");
    for (int m = 0; m < moments; ++m) {
        printf("%s%.9g", m > 0 ? "," : "", ticks[m] / rate);
    }
    printf("],\"animated\":%s,\"places\":[", animation != NULL ? "true" : "false");
    for (int m = 0; m < moments; ++m) {
        putchar(m > 0 ? ',' : ' ');
        print_moment(animation, ticks[m]);
    }
    printf("]}\n");
    aiReleaseImport(scene);
    return 0;
}
