// Meshes that Draco compressed, by its own library.
#define CLI_HAS_DRACO
#include "cli/files/draco.h"

#include <draco/compression/decode.h>

#include <exception>

namespace
{

template <typename Number>
bool put_array(const draco::PointAttribute &attribute, std::uint32_t vertex_count,
               const lmb_draco_array &array)
{
    auto *out = static_cast<Number *>(array.out);
    const auto components = static_cast<std::int8_t>(array.components);
    for (std::uint32_t k = 0; k < vertex_count; ++k) {
        const draco::AttributeValueIndex value = attribute.mapped_index(draco::PointIndex(k));
        if (value.value() >= attribute.size() ||
            !attribute.ConvertValue<Number>(value, components,
                                            out + std::size_t{k} * array.components)) {
            return false;
        }
    }
    return true;
}

bool put_array_of_type(const draco::PointAttribute &attribute, std::uint32_t vertex_count,
                       const lmb_draco_array &array)
{
    switch (array.type) {
    case LMB_DRACO_I8:
        return put_array<std::int8_t>(attribute, vertex_count, array);
    case LMB_DRACO_U8:
        return put_array<std::uint8_t>(attribute, vertex_count, array);
    case LMB_DRACO_I16:
        return put_array<std::int16_t>(attribute, vertex_count, array);
    case LMB_DRACO_U16:
        return put_array<std::uint16_t>(attribute, vertex_count, array);
    case LMB_DRACO_F32:
        return put_array<float>(attribute, vertex_count, array);
    }
    return false;
}

const char *put_mesh(const draco::Mesh &mesh, std::uint32_t vertex_count, std::uint32_t *indices,
                     std::uint32_t index_count, const lmb_draco_array *arrays,
                     std::uint32_t array_count)
{
    if (mesh.num_points() != vertex_count) {
        return "another number of vertices in the compressed mesh";
    }
    if (std::uint64_t{mesh.num_faces()} * 3 != index_count) {
        return "another number of triangles in the compressed mesh";
    }
    for (std::uint32_t k = 0; k < index_count; ++k) {
        indices[k] = mesh.face(draco::FaceIndex(k / 3))[k % 3].value();
    }
    for (std::uint32_t k = 0; k < array_count; ++k) {
        const draco::PointAttribute *attribute = mesh.GetAttributeByUniqueId(arrays[k].id);
        if (attribute == nullptr) {
            return "a compressed mesh without that attribute";
        }
        if (!put_array_of_type(*attribute, vertex_count, arrays[k])) {
            return "an attribute of another type in the compressed mesh";
        }
    }
    return nullptr;
}

const char *decode(void *, const void *bytes, std::size_t size, std::uint32_t vertex_count,
                   std::uint32_t *indices, std::uint32_t index_count, const lmb_draco_array *arrays,
                   std::uint32_t array_count)
{
    try {
        draco::DecoderBuffer buffer;
        buffer.Init(static_cast<const char *>(bytes), size);
        draco::Decoder decoder;
        auto mesh = decoder.DecodeMeshFromBuffer(&buffer);
        return mesh.ok() ? put_mesh(*mesh.value(), vertex_count, indices, index_count, arrays,
                                    array_count)
                         : "bytes that are no compressed mesh";
    } catch (const std::exception &) {
        return "a compressed mesh that does not fit into memory";
    }
}

} // namespace

extern "C" const lmb_draco_decoder *cli_draco_decoder(void)
{
    static const lmb_draco_decoder decoder = {nullptr, decode};
    return &decoder;
}
